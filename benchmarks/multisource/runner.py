"""Runs the corpora that are not in the store yet, all in one database, so that no text is read twice."""

import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

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


async def run_jobs(store: Store, jobs: Sequence[CorpusJob], seeds: int, reader: Reader) -> None:
    """Run every corpus of every job that is missing, seed by seed."""
    todo = [
        (job, corpus)
        for seed in range(seeds)
        for job in jobs
        if seed < (job.plan.seeds or seeds) and not store.contains(corpus := job.make(seed=seed), reader.name)
    ]
    if not todo:
        return
    async with opened_service(reader) as runtime:
        for done, (job, corpus) in enumerate(todo, 1):
            store.add(corpus, await recorded(runtime, corpus, job.plan))
            print(f"{corpus.setting.name}, seed {corpus.seed}: {done} of {len(todo)}", file=sys.stderr, flush=True)


async def time_questions(store: Store, reader: Reader, facts: Sequence[Fact]) -> None:
    """Time questions unless that is done, with a reader without a cache."""
    if not _is_timed(store, reader):
        async with opened_service(reader) as runtime:
            store.append(await timing.timed(runtime, facts))


@asynccontextmanager
async def opened_service(reader: Reader) -> AsyncIterator[Runtime]:
    """The service without conflict scores, which would take longer than reading, and with a long timeout."""
    with database.temporary_server() as (url, _):
        options = {"conflict_judge": AnswerJudge.NONE, "answer_timeout_seconds": PATIENCE}
        async with database.opened(url, reader, **options) as runtime:
            yield runtime


def _is_timed(store: Store, reader: Reader) -> bool:
    return any(row["part"] == "seconds" and row["reader"] == reader.name for row in store.rows())
