"""Runs the corpora that are not in the store yet, all in one database, so that no text is read twice."""

import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Protocol

from answering.models import Chat
from answering.readers import Reader
from benchmarks.harness import database
from benchmarks.multisource import timing
from benchmarks.multisource.facts import Fact
from benchmarks.multisource.recording import recorded
from benchmarks.multisource.settings import Plan
from benchmarks.multisource.store import Store
from benchmarks.multisource.synthetic import SyntheticCorpus
from registry.platform.settings import AnswerJudge
from registry.runtime import Runtime

# Seconds; a slow language model reads for many questions at once.
PATIENCE = 3600.0


class MakeCorpus(Protocol):
    """Builds the corpus of a seed."""

    def __call__(self, seed: int) -> SyntheticCorpus: ...


@dataclass(frozen=True, slots=True)
class CorpusJob:
    """Corpora of one setting to be run."""

    plan: Plan
    make: MakeCorpus


Missing = Sequence[tuple[Plan, SyntheticCorpus]]
"""Corpora that are not in the store, with what is to be scored of them."""


def missing(store: Store, jobs: Sequence[CorpusJob], seeds: int, reader: str) -> Missing:
    """What has not been run with this reader, seed by seed."""
    return [
        (job.plan, corpus)
        for seed in range(seeds)
        for job in jobs
        if seed < (job.plan.seeds or seeds) and not store.contains(corpus := job.make(seed=seed), reader)
    ]


async def run_all(store: Store, todo: Missing, reader: Reader, chat: Chat | None) -> None:
    """Run corpora, one after the other."""
    async with opened_service(reader, chat) as runtime:
        for done, (plan, corpus) in enumerate(todo, 1):
            store.add(corpus, await recorded(runtime, corpus, plan))
            print(f"{corpus.setting.name}, seed {corpus.seed}: {done} of {len(todo)}", file=sys.stderr, flush=True)


async def time_questions(store: Store, reader: Reader, facts: Sequence[Fact]) -> None:
    """Time questions unless that is done, with a reader without a cache."""
    if not _is_timed(store, reader):
        async with opened_service(reader) as runtime:
            store.append(await timing.timed(runtime, facts))


@asynccontextmanager
async def opened_service(reader: Reader, chat: Chat | None = None) -> AsyncIterator[Runtime]:
    """The service without conflict scores, which would take longer than reading, and with a long timeout."""
    with database.temporary_server() as (url, _):
        options = {"conflict_judge": AnswerJudge.NONE, "answer_timeout_seconds": PATIENCE}
        async with database.opened(url, reader, **options) as runtime:
            yield replace(runtime, chat=chat)


def _is_timed(store: Store, reader: Reader) -> bool:
    return any(row["part"] == "seconds" and row["reader"] == reader.name for row in store.rows())
