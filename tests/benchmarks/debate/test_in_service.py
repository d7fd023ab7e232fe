"""Which sources an answer of the service saw, as the benchmark counts them."""

from types import SimpleNamespace
from typing import cast
from uuid import UUID

from benchmarks.debate.in_service import seen
from registry.answers.result_schemas import AnswerResult, Decider

DEBATED, JUDGED, SHOWN, VOTED = (UUID(int=number) for number in range(4))


def result(**changed: object) -> AnswerResult:
    """What the count looks at of a result."""
    against = SimpleNamespace(source_id=JUDGED)
    claim = SimpleNamespace(supporting=(), contradicting=(against,), reporting=())
    values = {
        "debate": SimpleNamespace(documents=(SimpleNamespace(source_id=DEBATED),)),
        "conflict_score": SimpleNamespace(claims=(claim,)),
        "decided_by": Decider.READINGS,
        "selected_sources": (
            SimpleNamespace(source_id=SHOWN, supports=True),
            SimpleNamespace(source_id=VOTED, supports=False),
        ),
    }
    return cast("AnswerResult", SimpleNamespace(**values | changed))


def test_seen_are_documents_debated_and_judged_and_answers_side_by_side() -> None:
    assert set(seen(result())) == {DEBATED, JUDGED, SHOWN}
    assert set(seen(result(decided_by=Decider.VOTE))) == {DEBATED, JUDGED}
    assert set(seen(result(debate=None, conflict_score=None, decided_by=Decider.VOTE))) == set()
