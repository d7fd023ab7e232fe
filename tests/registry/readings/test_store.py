"""Readings are kept as they are made."""

import asyncio
from collections.abc import Sequence

import pytest

from answering.passages import PassageTexts
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
