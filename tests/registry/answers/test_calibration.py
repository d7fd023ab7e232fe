"""Which number a person is shown of an answer: by right answers where an evaluation measured such answers."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from answering.voting.electorate import SUREST_OF_LATECOMERS
from registry.answers import service as answers
from registry.answers.calibration import calibrated_confidence, stored_answer
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.estimations.model import EstimationRun
from registry.evaluations.schemas import Basis, CalibratedConfidence, Calibration, CalibrationBin, Interval
from registry.queries import store as queries
from registry.queries.schemas import QueryInput
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.reliabilities import Reliabilities
from registry.sources.schemas import OverrideInput
from registry.sources.store.estimates import MeasuredCalibration
from tests.registry.answers.asking import asked
from tests.registry.audited import audited, overridden
from tests.registry.debaters import debating, served
from tests.registry.estimated import finished
from tests.registry.evaluations.test_metrics import standing
from tests.registry.world import TOWERS, build, colour_reader, honest, question
from tests.tables import for_each


@pytest.fixture
async def run(outnumbered: Runtime, corpus: Corpus) -> EstimationRun:
    return await finished(outnumbered, corpus)


async def shown(runtime: Runtime, corpus: Corpus, **parameters: Any) -> CalibratedConfidence:  # noqa: ANN401  (whatever JSON holds)
    calibrated = (await asked(runtime, corpus, "Aldra", **parameters)).calibrated_confidence
    assert calibrated is not None
    return calibrated


async def override(runtime: Runtime, corpus: Corpus, reliability: float) -> None:
    async with runtime.database.begin() as session:
        herald = await sources.find(session, corpus, "herald")
        await sources.set_override(
            session, corpus, herald.id, OverrideInput(reliability=reliability, reason="known"), created_by="test"
        )


@for_each(
    ("measured", "parameters", "counts"),
    [
        ({}, {"batch": 1, "keep_as_query": False}, True),
        ({}, {"kappa": 2}, False),
        ({"parameters": {"kappa": 2}}, {"kappa": 2}, True),
        ({"parameters": {"kappa": 2}}, {}, False),
        ({"reader": "another"}, {}, False),
    ],
)
async def test_an_evaluation_counts_for_what_it_measured(
    measured: dict[str, Any],
    parameters: dict[str, Any],
    counts: bool,
    outnumbered: Runtime,
    corpus: Corpus,
) -> None:
    run = await finished(outnumbered, corpus)
    await audited(outnumbered, corpus, run.id, **measured)
    calibrated = await shown(outnumbered, corpus, **parameters)
    assert (calibrated.basis is Basis.GOLD) is counts
    assert (calibrated.share is None) is not counts


async def test_a_debate_with_another_language_model_was_not_measured(
    outnumbered: Runtime, corpus: Corpus, run: EstimationRun
) -> None:
    by_debate = {"strategy": "concatenated"}
    with served() as server:
        runtime = debating(outnumbered, server)
        assert runtime.chat is not None
        for chat, basis in (("openai:another", Basis.ESTIMATE), (runtime.chat.name, Basis.GOLD)):
            await audited(runtime, corpus, run.id, parameters=by_debate, chat=chat)
            assert (await shown(runtime, corpus, **by_debate)).basis is basis
        await runtime.chat.aclose()


async def test_an_evaluation_of_another_run_does_not_count(
    outnumbered: Runtime, corpus: Corpus, run: EstimationRun
) -> None:
    await audited(outnumbered, corpus, run.id)
    await finished(outnumbered, corpus)
    assert (await shown(outnumbered, corpus)).basis is not Basis.GOLD


async def test_a_reliability_set_by_hand_must_be_the_one_that_was_measured(
    outnumbered: Runtime, corpus: Corpus, run: EstimationRun
) -> None:
    await audited(outnumbered, corpus, run.id)
    await override(outnumbered, corpus, 0.9)
    assert (await shown(outnumbered, corpus)).basis is not Basis.GOLD
    async with outnumbered.database.begin() as session:
        herald = await sources.find(session, corpus, "herald")
    await audited(outnumbered, corpus, run.id, sources=(overridden(herald.id, 0.9),))
    assert (await shown(outnumbered, corpus)).basis is Basis.GOLD
    await override(outnumbered, corpus, 0.8)
    assert (await shown(outnumbered, corpus)).basis is not Basis.GOLD


async def test_what_rests_on_sources_that_came_last_is_shown_as_no_surer_whatever_was_measured(
    outnumbered: Runtime, corpus: Corpus, run: EstimationRun
) -> None:
    right = Interval(right=60, of=60, share=1, lower=0.94, upper=1)
    bins = (CalibrationBin(lower=0.8, upper=1, confidence=0.9, accuracy=right),)
    calibration = Calibration(bins=bins, expected_error=0, brier=0)
    measured = MeasuredCalibration(run.id, "scripted", None, {}, {}, calibration)
    answer = (await asked(outnumbered, corpus, "Aldra")).model_copy(update={"confidence": SUREST_OF_LATECOMERS})
    plain = calibrated_confidence(answer, measured, {})
    capped = calibrated_confidence(answer.model_copy(update={"confidence_capped": True}), measured, {})
    assert (plain.share or 0) > 0.99
    assert capped.share == SUREST_OF_LATECOMERS
    assert "95 in 100" in capped.text
    assert "rests on sources that came last" in capped.text


async def test_without_an_estimation_too_little_is_known(outnumbered: Runtime, corpus: Corpus) -> None:
    calibrated = await shown(outnumbered, corpus)
    assert (calibrated.basis, calibrated.share) == (Basis.TOO_LITTLE, None)
    assert "Too little is known" in calibrated.text


@pytest.mark.usefixtures("run")
async def test_without_right_answers_the_estimate_alone_speaks(outnumbered: Runtime, corpus: Corpus) -> None:
    calibrated = await shown(outnumbered, corpus)
    assert (calibrated.basis, calibrated.share) == (Basis.ESTIMATE, None)


async def test_few_queries_do_not_show_that_an_answer_is_sure(runtime: Runtime, corpus: Corpus) -> None:
    """Of four sources that always agree."""
    runtime = replace(runtime, reader=colour_reader())
    names = ("herald", "gazette", "times", "post")
    await build(runtime, corpus, {name: honest() for name in names}, TOWERS[:2])
    await finished(runtime, corpus)
    result = await asked(runtime, corpus, "Farn")
    assert result.calibrated_confidence is not None
    assert (result.confidence, result.calibrated_confidence.basis) == (0.75, Basis.TOO_LITTLE)
    async with runtime.database.begin() as session:
        for tower in TOWERS[2:4]:
            await queries.create(session, corpus, QueryInput(external_id=tower, text=question(tower)))
    await finished(runtime, corpus)
    calibrated = (await asked(runtime, corpus, "Farn")).calibrated_confidence
    assert calibrated is not None
    # What was asked is a query since.
    assert calibrated.text == "By the estimate alone, 86 in 100 such answers are right."


@for_each(
    ("queries", "surest"),
    [(0, 0.5), (2, 0.75), (4, 0.8333), (10, 0.9167), (30, 0.9688), (100, 0.9902), (1_000, 0.999)],
)
def test_no_answer_is_surer_than_so_many_queries_can_show(queries: int, surest: float) -> None:
    names = [UUID(int=number) for number in range(5)]
    run = EstimationRun(method="one_coin", labels=10, prior=0.6, prior_lower=0.5, prior_upper=0.7)
    sources = tuple(replace(standing(name, 0.97), vote_count=queries) for name in names)
    electorate = Reliabilities(run, sources).electorate()
    sure = electorate.probabilities(dict.fromkeys(names, "oslo"))["oslo"]
    assert round(sure, 4) == surest
    doubtful = electorate.probabilities(dict(zip(names, ("oslo", "oslo", "bergen", "bergen", "rome"), strict=True)))
    assert doubtful["oslo"] == pytest.approx(0.5, abs=0.01)


async def test_each_question_of_several_has_its_number_and_the_whole_that_of_the_least_sure(
    outnumbered: Runtime, corpus: Corpus, run: EstimationRun
) -> None:
    await audited(outnumbered, corpus, run.id)
    both = f"{question('Aldra')} {question('Brin')}"
    record = await answers.ask(outnumbered, corpus, both, AnswerParameters())
    async with outnumbered.database.begin() as session:
        _, result = await stored_answer(session, corpus, record.id)
    assert result is not None
    assert [part.calibrated_confidence is not None for part in result.parts] == [True, True]
    assert result.calibrated_confidence in [part.calibrated_confidence for part in result.parts]
