"""Which number a person is shown of an answer: by right answers where an evaluation measured such answers."""

from typing import Any

import pytest

from registry.answers import service as answers
from registry.answers.calibration import stored_answer
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.estimations.model import EstimationRun
from registry.evaluations.schemas import Basis, CalibratedConfidence
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.schemas import OverrideInput
from tests.registry.answers.asking import asked
from tests.registry.audited import audited, overridden
from tests.registry.estimated import finished
from tests.registry.world import question
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


async def test_an_evaluation_of_another_run_does_not_count(
    outnumbered: Runtime, corpus: Corpus, run: EstimationRun
) -> None:
    await audited(outnumbered, corpus, run.id)
    await finished(outnumbered, corpus)
    assert (await shown(outnumbered, corpus)).basis is not Basis.GOLD


async def test_of_several_evaluations_the_newest_that_measured_such_answers_counts(
    outnumbered: Runtime, corpus: Corpus, run: EstimationRun
) -> None:
    evaluation_id = await audited(outnumbered, corpus, run.id)
    await audited(outnumbered, corpus, run.id, parameters={"kappa": 2})
    assert (await shown(outnumbered, corpus)).evaluation_id == evaluation_id


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


async def test_without_an_estimation_too_little_is_known(outnumbered: Runtime, corpus: Corpus) -> None:
    calibrated = await shown(outnumbered, corpus)
    assert (calibrated.basis, calibrated.share) == (Basis.TOO_LITTLE, None)
    assert "Too little is known" in calibrated.text


async def test_without_right_answers_the_estimate_alone_speaks(
    outnumbered: Runtime, corpus: Corpus, run: EstimationRun
) -> None:
    """Only where the intervals of who supports the answer are not wide."""
    result = await asked(outnumbered, corpus, "Aldra")
    assert result.estimation_id == run.id
    narrow = any(
        source.upper - source.lower <= 0.5
        for source in result.selected_sources
        if source.supports and source.lower is not None and source.upper is not None
    )
    calibrated = await shown(outnumbered, corpus)
    assert calibrated.basis is (Basis.ESTIMATE if narrow else Basis.TOO_LITTLE)


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
