"""Weights and confidence count with one number of possible answers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

import pytest

from answering.voting import CastVote, SourceReading
from registry.answers.evidence import hold_vote
from registry.answers.schemas import AnswerParameters
from registry.estimations.model import EstimationRun
from registry.sources.reliabilities import Reliabilities
from tests.registry.evaluations.test_metrics import ONE, TWO, reading_of, standing
from tests.tables import for_each

# Two sources of 0.6 that agree: with one wrong answer 0.36 / (0.36 + 0.16), with nine 0.36 / (0.36 + 0.16 / 9).
OF_TWO, OF_TEN = 0.6923, 0.9529
SOURCES = tuple(replace(standing(source_id, 0.6), vote_count=1000) for source_id in (ONE, TWO))
VOTES = [CastVote(source.source_id, "text:red", "red") for source in SOURCES]


def run(method: str, labels: int, stated: str | None) -> EstimationRun:
    return EstimationRun(method=method, labels=labels, parameters={"labels": stated} if stated else {})


@for_each(
    ("current", "weight", "confidence"),
    [
        (run("iwmv", 2, "2"), 0.2, OF_TWO),
        (run("majority", 2, "estimated"), 0.2, OF_TWO),
        (run("iwmv", 10, "10"), 5.0, OF_TEN),
        (run("iwmv", 2, "sources"), 0.2, OF_TEN),
        (run("one_coin", 2, "sources"), 0.4055, OF_TWO),
        (None, 0.2, OF_TEN),
    ],
)
def test_labels_that_a_run_was_given_or_found_count_in_confidence(
    current: EstimationRun | None, weight: float, confidence: float
) -> None:
    """Not those of RA-RAG, which are the number of sources, and not before an estimation: nine are wrong then."""
    count = Reliabilities(current, SOURCES).electorate().count(VOTES)
    assert [ballot.weight for ballot in count.ballots] == pytest.approx([weight] * 2, abs=1e-4)
    assert count.confidence == pytest.approx(confidence, abs=1e-4)


@for_each(
    ("question", "current", "confidence"),
    [
        ("Is the mill red?", None, OF_TWO),
        ("Of what colour is the mill?", None, OF_TEN),
        ("Is the mill red?", run("one_coin", 10, None), OF_TWO),
        ("Of what colour is the mill?", run("one_coin", 10, None), OF_TEN),
    ],
)
async def test_a_question_for_yes_or_no_has_one_wrong_answer(
    question: str, current: EstimationRun | None, confidence: float
) -> None:
    async def read(source_ids: Sequence[UUID]) -> Mapping[UUID, SourceReading]:
        return dict.fromkeys(source_ids, reading_of("yes"))

    held = await hold_vote(question, "scripted", Reliabilities(current, SOURCES), None, AnswerParameters(kappa=2), read)
    assert held.confidence == pytest.approx(confidence, abs=1e-4)
