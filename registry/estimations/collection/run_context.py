"""A run that goes on, as each process that works on it reads it: its sources, its conditions, its pieces."""

from collections import ChainMap
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from math import ceil
from pathlib import Path
from uuid import UUID

import answering
import registry
from answering.readers import ChatReader
from registry.corpora.model import Corpus
from registry.estimations.model import EstimationRun, RunPiece
from registry.estimations.schemas import EstimationParameters
from registry.estimations.store.collection import source_ids_of
from registry.platform.database.base import AsyncSession
from registry.platform.digest import digest
from registry.queries.model import Query
from registry.runtime import Runtime

# A piece takes seconds, so that a stop waits for few readings.
READINGS = 200
# Each piece is at most this part of the queries that are left, so that the first ones cost little beside their readings
# and the last ones, of one query, end at about the same time: guided self-scheduling (Polychronopoulos and Kuck 1987,
# doi:10.1109/TC.1987.5009495), for some tens of workers. Eight workers that made 5,000 readings in 40 s were all busy
# until the last three seconds; with 125 pieces of one size, until the last seven.
PART_LEFT = 1 / 64
# Of queries that are carried over: what a piece costs beside its readings is more than these.
REUSED_READINGS = 20_000
# What votes are made by. Another version searches and reads anew, so that nobody needs to say what it changed.
CODE = (answering, registry)


@dataclass(frozen=True, slots=True)
class RunContext:
    """A run that goes on, and what it reads."""

    id: UUID
    corpus: Corpus
    parameters: EstimationParameters
    source_ids: Sequence[UUID]
    began: datetime
    """Documents stored later are left to the next run, so that no source counts for a part of the queries only."""
    carried_from: UUID | None = None
    """The run of which votes are carried over."""


async def run_context(session: AsyncSession, run: EstimationRun) -> RunContext:
    """The context from the row of the run; it has no sources until the queries are cut."""
    corpus = await session.get_one(Corpus, run.corpus_id)
    source_ids = await source_ids_of(session, run)
    parameters = EstimationParameters.model_validate(run.parameters)
    began = run.started_at or run.created_at
    return RunContext(run.id, corpus, parameters, source_ids, began, run.carried_from)


def conditions(runtime: Runtime, parameters: EstimationParameters) -> bytes:
    """A digest of what votes depend on beside sources and queries. Raises `SettingsError` without a reader."""
    settings, reader = runtime.settings, runtime.require_reader()
    # Of questions in languages that the reader does not know.
    other = ChatReader(runtime.chat) if runtime.chat is not None else reader
    parts = (
        reader.name,
        reader.prompt_hash,
        other.name,
        other.prompt_hash,
        settings.reader,
        settings.reader_screened,
        runtime.embedder.name,
        settings.passages_per_source,
        parameters.class_policy,
        parameters.candidates_only,
        _code(),
    )
    return digest(*map(str, parts))


def cut(
    run_id: UUID,
    queries: Sequence[Query],
    source_count: int,
    *,
    readings: int = READINGS,
    part_left: float = PART_LEFT,
) -> list[RunPiece]:
    """The pieces of a run, the largest first; queries of one text are in one piece, so that the second one finds its
    readings.

    A query has `source_count` readings, a piece at most about `readings`.
    """
    by_text: dict[str, dict[str, str]] = {}
    for query in queries:
        by_text.setdefault(query.text, {})[str(query.id)] = query.text
    groups = list(by_text.values())
    most = max(1, readings // max(source_count, 1))
    pieces, start = list[RunPiece](), 0
    while left := len(groups) - start:
        end = start + min(most, ceil(left * part_left))
        pieces.append(RunPiece(estimation_id=run_id, queries=dict(ChainMap(*groups[start:end]))))
        start = end
    return pieces


def code_files() -> list[Path]:
    """The modules of `CODE`."""
    return sorted(path for package in CODE for path in Path(package.__path__[0]).rglob("*.py"))


@cache
def _code() -> str:
    """A digest of the source of `CODE`."""
    return digest(*(path.read_text(encoding="utf-8") for path in code_files())).hex()
