"""The plan of a run: what its votes depend on, its queries cut into pieces, and how long a reading takes."""

import asyncio
import time
from collections import ChainMap
from collections.abc import Callable, Sequence
from functools import cache
from math import ceil
from pathlib import Path
from typing import TypeAlias
from uuid import UUID

import structlog

import answering
import registry
from answering.errors import ModelError
from answering.passages import PassageTexts
from answering.providers import provider_named
from answering.readers import READERS, ChatReader, Reader
from registry.corpora.model import Corpus
from registry.estimations.model import RunPiece
from registry.estimations.schemas import EstimationParameters
from registry.platform.digest import digest
from registry.queries.model import Query
from registry.readings.store import mean_milliseconds
from registry.runtime import Runtime

log = structlog.get_logger(__name__)

# A question and the passages of one source.
Request: TypeAlias = tuple[str, PassageTexts]

# Readings made only to be timed: the share of a run, the fewest and the most. Of 24 the mean is known to a fifth or so.
TIMED_SHARE = 1 / 20
LEAST_TIMED = 5
MOST_TIMED = 24
# The longest that they may take: a run begins, and can be cancelled, after them.
TIMING_SECONDS = 10.0
# A piece takes seconds, so that a stop waits for few readings.
READINGS = 200
# Each piece is at most this part of the queries that are left, so that the first ones cost little beside their readings
# and the last ones, of one query, end at about the same time: guided self-scheduling (Polychronopoulos and Kuck 1987,
# doi:10.1109/TC.1987.5009495), for some tens of workers. Eight workers that made 5,000 readings in 40 s were all busy
# until the last three seconds; with 125 pieces of one size, until the last seven.
PART_LEFT = 1 / 64
# Of queries whose votes are reused: what a piece costs beside its readings is more than these.
REUSED_READINGS = 20_000
# What votes are made by. Another version searches and reads anew, so that nobody needs to say what it changed.
CODE = (answering, registry)


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
    return sorted(path for package in CODE for path in Path(package.__path__[0]).rglob("*.py"))


@cache
def _code() -> str:
    """A digest of the source of `CODE`."""
    return digest(*(path.read_text(encoding="utf-8") for path in code_files())).hex()


def timed_readings(runtime: Runtime, readings: int) -> int:
    """Readings of a run that are worth timing beforehand; none if each costs a call of a language model."""
    if provider_named(READERS, runtime.settings.reader).calls_model:
        return 0
    timed = int(readings * TIMED_SHARE)
    return min(timed, MOST_TIMED) if timed >= LEAST_TIMED else 0


async def seconds_per_reading(
    runtime: Runtime, corpus: Corpus, requests: Sequence[Request], clock: Callable[[], float] = time.perf_counter
) -> float | None:
    """Seconds between the ends of two readings, as many being made at once as may be; None where nothing tells.

    A reader on this machine is timed with `requests`, as its time depends on the machine and on the length of passages.
    Without any, earlier readings tell: those of this corpus, else those of others.
    """
    if requests and (measured := await _measured(runtime, requests, clock)) is not None:
        return measured
    reader = runtime.require_reader().name
    async with runtime.database.begin() as session:
        mean = await mean_milliseconds(session, reader, corpus) or await mean_milliseconds(session, reader, None)
    return None if mean is None else mean / runtime.settings.reader_concurrency / 1000


async def _measured(runtime: Runtime, requests: Sequence[Request], clock: Callable[[], float]) -> float | None:
    reader = runtime.require_reader()
    try:
        async with asyncio.timeout(TIMING_SECONDS):
            # The first one also loads the model.
            await _read(reader, requests[0])
            began = clock()
            await asyncio.gather(*(_read(reader, request) for request in requests))
    except ModelError as error:
        log.warning("readings_not_timed", reason=error)
        return None
    except TimeoutError:
        log.warning("readings_not_timed", reason=f"they took longer than {TIMING_SECONDS:g} s")
        return None
    return (clock() - began) / len(requests)


async def _read(reader: Reader, request: Request) -> None:
    question, texts = request
    await reader.read(question, texts.contents, texts.contexts)
