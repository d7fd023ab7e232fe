"""Which sources are asked, how their votes count of which little is known, and all of it as in the paper."""

from dataclasses import replace
from typing import Any

import pytest

from registry.answers import service as answers
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.estimations.schemas import EstimationParameters
from registry.evaluations.service import evaluate
from registry.platform.enums import SourceStatus
from registry.queries import store as queries
from registry.queries.schemas import QueryInput
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.schemas import SourcePatch
from tests.registry.answers.asking import result
from tests.registry.estimated import finished
from tests.registry.world import TOWERS, build, colour_reader, honest, question

PLAIN = AnswerParameters()


async def test_paused_sources_are_not_asked(outnumbered: Runtime, corpus: Corpus) -> None:
    async with outnumbered.database.begin() as session:
        source = await sources.find(session, corpus, "herald")
        await sources.update(session, corpus, source.id, SourcePatch(status=SourceStatus.PAUSED))
    answer = result(await answers.ask(outnumbered, corpus, question("Grom"), AnswerParameters(kappa=6)))
    selected = {source.external_id for source in answer.selected_sources}
    assert "herald" not in selected | {source.external_id for source in answer.rejected_sources}


async def test_a_budget_of_readings_is_kept(outnumbered: Runtime, corpus: Corpus) -> None:
    answer = result(await answers.ask(outnumbered, corpus, question("Grom"), AnswerParameters(max_readings=2, batch=1)))
    assert answer.usage.readings == 2
    assert "out_of_budget" in {source.reason for source in answer.rejected_sources}


@pytest.fixture
async def many(runtime: Runtime, corpus: Corpus) -> Runtime:
    """Twenty-two sources that agree, and two that know other towers."""
    runtime = replace(runtime, reader=colour_reader())
    stated = {f"herald{number}": {"Grom": "grey"} for number in range(22)}
    await build(runtime, corpus, stated | {f"atlas{number}": honest() for number in range(2)})
    return runtime


async def test_without_a_kappa_sources_are_asked_until_the_others_cannot_change_the_answer(
    many: Runtime, corpus: Corpus
) -> None:
    limited = PLAIN.model_copy(update={"max_readings": 20})
    answer = result(await answers.ask(many, corpus, question("Grom"), limited))
    # After 16 of 20 the other 4 cannot bring the margin below a half; they are read by fours.
    assert (answer.answers, answer.usage.readings, answer.stop_reason) == (("grey",), 16, "decided")
    assert "not_reached" in {source.reason for source in answer.rejected_sources}
    four = result(await answers.ask(many, corpus, question("Grom"), AnswerParameters(kappa=4)))
    assert (len(four.selected_sources), four.stop_reason) == (4, "kappa_reached")


async def test_sources_that_came_after_the_estimation_count_as_one(outnumbered: Runtime, corpus: Corpus) -> None:
    await finished(outnumbered, corpus)
    await build(outnumbered, corpus, {f"new{number}": {"Grom": "mauve"} for number in range(9)})
    answer = result(await answers.ask(outnumbered, corpus, question("Grom"), PLAIN))
    assert answer.answers == ("grey",)
    assert {line.answer: (line.votes, line.independent_votes) for line in answer.tally}["mauve"] == (9, 1)
    assert any(note.startswith("9 of 14 votes come from new sources") for note in answer.notes)
    by_age = sorted(answer.selected_sources, key=lambda source: str(source.registered_at))
    assert [source.is_new for source in by_age] == [False] * 5 + [True] * 9


async def test_what_trusted_sources_publish_after_the_estimation_does_not_outvote_what_others_said_before(
    outnumbered: Runtime, corpus: Corpus
) -> None:
    await build(outnumbered, corpus, {"post": honest() | {"Holm": "teal"}, "echo": honest() | {"Holm": "teal"}})
    await finished(outnumbered, corpus)
    for name in ("herald", "gazette", "times"):
        async with outnumbered.database.begin() as session:
            source = await sources.find(session, corpus, name)
        for tower in ("Holm", "Iver"):
            content = f"By {name}. The tower of {tower} is painted mauve."
            document = DocumentInput(external_id=tower, content=content)
            await ingest(outnumbered, corpus, source.id, [document])
    before = result(await answers.ask(outnumbered, corpus, question("Holm"), PLAIN))
    assert before.answers == ("teal",)
    assert any("3 of" in note for note in before.notes)
    undisputed = result(await answers.ask(outnumbered, corpus, question("Iver"), PLAIN))
    assert (undisputed.answers, undisputed.notes) == (("mauve",), ())
    await finished(outnumbered, corpus)
    after = result(await answers.ask(outnumbered, corpus, question("Holm"), PLAIN))
    assert not after.notes


async def asked(runtime: Runtime, corpus: Corpus, **parameters: Any) -> tuple[dict[str, Any], set[str]]:  # noqa: ANN401  (whatever JSON holds)
    """The parameters in force, and the sources that counted as new."""
    record = await answers.ask(runtime, corpus, question("Aldra"), AnswerParameters.model_validate(parameters))
    return record.parameters, {source.external_id for source in result(record).selected_sources if source.is_new}


async def test_one_switch_sets_the_run_its_questions_and_its_evaluations(reading: Runtime, corpus: Corpus) -> None:
    await build(reading, corpus, {name: honest() for name in ("herald", "gazette", "times")}, TOWERS)
    await finished(reading, corpus, EstimationParameters(paper=True))
    await build(reading, corpus, {"rumour": {"Aldra": "purple"}})
    by_run, new = await asked(reading, corpus)
    assert (by_run["paper"], by_run["kappa"], by_run["class_policy"], by_run["min_margin"]) == (True, 4, "exact", 0.0)
    assert new == set()
    named, _ = await asked(reading, corpus, kappa=8)
    assert (named["paper"], named["kappa"], named["rank_by"]) == (True, 8, "reliability")
    otherwise, new = await asked(reading, corpus, paper=False, kappa=8)
    assert (otherwise["paper"], otherwise["class_policy"], otherwise["min_margin"]) == (False, "values", 0.05)
    assert new == {"rumour"}
    async with reading.database.begin() as session:
        gold = QueryInput(external_id="gold", text=question("Aldra"), gold_answers=["red"])
        await queries.create(session, corpus, gold)
    assert (await evaluate(reading, corpus)).parameters == by_run
    assert (await asked(reading, corpus, paper=True))[0] == by_run


async def test_other_runs_change_no_rule(reading: Runtime, corpus: Corpus) -> None:
    await build(reading, corpus, {name: honest() for name in ("herald", "gazette", "times")}, TOWERS)
    await finished(reading, corpus)
    parameters, _ = await asked(reading, corpus)
    assert (parameters["paper"], parameters["class_policy"]) == (False, "values")
