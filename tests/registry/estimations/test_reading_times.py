"""How long a run will take is told before it begins, by readings that are timed."""

from collections.abc import Sequence
from dataclasses import replace

from answering.errors import ModelUnavailable
from answering.passages import PassageTexts
from answering.readers import ScriptedReader
from registry.corpora.model import Corpus
from registry.estimations.schemas import EstimationParameters
from registry.events import store as events
from registry.readings.times import seconds_per_reading, timed_readings
from registry.runtime import Runtime
from tests.registry.estimations.test_service import finished
from tests.registry.world import DAILY_TOWERS, build, colour_reader

REQUESTS = [("What colour?", PassageTexts(("The tower of Brin is painted blue.",)))] * 8


async def test_readings_of_this_machine_are_timed(reading: Runtime, corpus: Corpus) -> None:
    now = 0.0

    def read(_question: str, _passages: Sequence[str]) -> str:
        nonlocal now
        now += 0.5
        return "blue"

    timed = replace(reading, reader=ScriptedReader(read))
    assert await seconds_per_reading(timed, corpus, REQUESTS, lambda: now) == 0.5
    assert [timed_readings(timed, readings) for readings in (0, 99, 200, 10_000)] == [0, 0, 10, 24]


async def test_calls_of_a_language_model_are_not_made_to_be_timed(reading: Runtime) -> None:
    settings = reading.settings.model_copy(update={"reader": "openai"})
    assert timed_readings(replace(reading, settings=settings), 10_000) == 0


async def test_without_anything_to_time_earlier_readings_tell(reading: Runtime, corpus: Corpus) -> None:
    assert await seconds_per_reading(reading, corpus, []) is None
    towers = DAILY_TOWERS[:3]
    await build(reading, corpus, {"herald": dict.fromkeys(towers, "red")}, towers)
    await finished(reading, corpus)
    assert await seconds_per_reading(reading, corpus, []) is not None
    broken = replace(reading, reader=ScriptedReader(lambda _question, _passages: ModelUnavailable("It is gone.")))
    assert await seconds_per_reading(broken, corpus, REQUESTS) == await seconds_per_reading(reading, corpus, [])


async def test_the_forecast_of_a_first_run_has_seconds_and_its_counts_are_of_the_run_alone(
    reading: Runtime, corpus: Corpus
) -> None:
    towers = dict.fromkeys((f"Keep{number}" for number in range(40)), "red")
    await build(reading, corpus, dict.fromkeys(("herald", "gazette", "post"), towers), list(towers))
    reader = colour_reader()
    run = await finished(replace(reading, reader=reader), corpus, EstimationParameters())
    async with reading.database.begin() as session:
        steps = await events.after(session, run.id, 0)
    forecast = next(step.data for step in steps if step.kind == "forecast")
    assert (forecast["queries"], forecast["readings"]) == (40, 120)
    assert forecast["seconds"] is not None
    assert (run.readings_made, run.readings_cached) == (120, 0)
    # Six were timed, after one that loads the model.
    assert len(reader.calls) == 120 + 7
