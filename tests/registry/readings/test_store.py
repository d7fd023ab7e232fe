"""Readings are kept as they are made."""

import asyncio
from collections.abc import Sequence

import pytest

from answering.passages import PassageTexts
from registry.platform.concurrency import BackgroundSlots
from registry.platform.errors import DatabaseUnavailable
from registry.readings.store import CachedReader, Row
from registry.runtime import Runtime
from tests.registry.world import colour_reader, question

COLOURS = ("grey", "pink", "black", "red", "white", "green", "blue", "brown", "ochre")


class UnstorableReader(CachedReader):
    async def _store(self, rows: Sequence[Row]) -> None:
        raise DatabaseUnavailable(f"{len(rows)} readings were not stored.")


async def test_what_could_not_be_stored_is_not_read(runtime: Runtime) -> None:
    reader = colour_reader(delay=0.01)
    cached = UnstorableReader(reader, runtime.database, slots=asyncio.Semaphore(2))
    passages = [PassageTexts((f"The tower of Grom is painted {colour}.",)) for colour in COLOURS]
    with pytest.raises(DatabaseUnavailable):
        await cached.read_all(question("Grom"), passages)
    await asyncio.sleep(0.05)
    # Two that were read when the first could not be stored, and two that had taken their slots by then.
    assert len(reader.calls) <= 4


async def test_a_question_does_not_wait_for_the_readings_of_background_work(runtime: Runtime) -> None:
    reader = colour_reader(delay=0.02)
    slots = asyncio.Semaphore(2)
    background = CachedReader(reader, runtime.database, slots=BackgroundSlots(slots, 2))
    passages = [PassageTexts((f"The tower of Grom is painted {colour}.",)) for colour in COLOURS]
    estimation = asyncio.create_task(background.read_all(question("Grom"), passages))
    await asyncio.sleep(0.01)
    asked = CachedReader(reader, runtime.database, slots=slots)
    await asked.read_all(question("Brin"), [PassageTexts(("The tower of Brin is painted red.",))])
    assert not estimation.done()
    assert len(reader.calls) <= 4
    await estimation
    assert len(reader.calls) == len(COLOURS) + 1
