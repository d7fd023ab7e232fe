"""The judgement of passages in the benchmark of search."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID, uuid4

import pytest

from answering.passages import RetrievedPassage
from benchmarks.estimated import reliabilities_of
from benchmarks.search import Judged
from estimator import VoteMatrix, estimate
from estimator.result import JointDissent
from registry.platform.enums import SourceStatus
from registry.queries.model import Query
from registry.search.service import FoldedHit, Hit
from registry.sources.reliabilities import SourceReliability


def hit(source_id: UUID, content: str) -> FoldedHit:
    published: datetime | None = None
    passage = RetrievedPassage(source_id, uuid4(), 0, 0, len(content), content, 0.5, "", published, "a")
    source = SourceReliability(
        source_id=source_id,
        external_id="a",
        name="a",
        status=SourceStatus.ACTIVE,
        reliability=None,
        estimated=None,
        lower=None,
        upper=None,
        weight=None,
        vote_count=0,
        copy_group=None,
        override=None,
    )
    return FoldedHit(Hit(passage, source, 0.5, None), ())


def test_a_passage_counts_if_it_states_the_answer_of_its_source() -> None:
    right, wrong, silent = uuid4(), uuid4(), uuid4()
    judged = Judged(Query(text="Where?"), {right: ("Oslo", True), wrong: ("Bergen", False)})
    assert judged.gain(hit(right, "It was in oslo.")) == 1
    assert judged.gain(hit(right, "Something else.")) == 0
    assert judged.gain(hit(wrong, "It was in Bergen.")) == -1
    assert judged.gain(hit(silent, "It was in Bergen.")) == 0


def test_the_ideal_has_as_many_right_passages_as_there_are_right_sources() -> None:
    two_right = Judged(Query(text="Where?"), {uuid4(): ("Oslo", True), uuid4(): ("Oslo", True)})
    assert two_right.ndcg([1, 1, 0]) == pytest.approx(1)
    assert two_right.ndcg([-1, 0, 0]) == 0
    assert 0 < (two_right.ndcg([-1, 1, 1]) or 0) < 1
    assert Judged(Query(text="Where?"), {}).ndcg([]) is None


def test_an_estimate_counts_as_in_the_service() -> None:
    """What dissents together is one, who never voted has the prior, and nothing is surer than the queries can show."""
    votes = VoteMatrix.from_triples([0, 0, 0, 1, 1, 1], [0, 1, 2] * 2, [0, 0, 1] * 2, query_count=2, source_count=4)
    result = replace(estimate(votes, "one_coin"), dissents=(JointDissent((0, 1), (0,), (0,), 9.0),))
    electorate = reliabilities_of(result).electorate()
    first, second, third, silent = (UUID(int=number) for number in range(4))
    assert electorate.copy_group(first) == electorate.copy_group(second) != electorate.copy_group(third)
    assert electorate.reliability(silent) == result.prior.mean
    assert electorate.surest == 0.75
