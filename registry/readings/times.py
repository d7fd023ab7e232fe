"""The time of a reading, for the forecast of a run."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

import structlog

from answering.errors import ModelError
from answering.passages import PassageTexts
from answering.providers import provider_named
from answering.readers import READERS, Reader
from registry.corpora.model import Corpus
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
