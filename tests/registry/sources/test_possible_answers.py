"""Weights and confidence count with one number of possible answers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

import numpy as np
import pytest

from answering.voting import CastVote, SourceReading
from registry.answers.evidence import hold_vote
from registry.answers.schemas import AnswerParameters
from registry.estimations.model import EstimationRun
from registry.platform.enums import QueryOrigin
from registry.sources.reliabilities import Reliabilities
from registry.votes.consensus import Counter
from registry.votes.store import Vote, VotedQuery
from registry.votes.store.columns import VoteColumns
from registry.votes.summaries import summaries
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
        (run("iwmv", 2, "sources"), 0.2, OF_TWO),
        (run("iwmv", 10, "sources"), 5.0, OF_TEN),
        (run("majority", 10, "sources"), 5.0, OF_TEN),
        (run("one_coin", 2, "sources"), 0.4055, OF_TWO),
        (None, 0.2, OF_TWO),
    ],
)
def test_labels_of_the_run_count_in_weights_and_in_confidence(
    current: EstimationRun | None, weight: float, confidence: float
) -> None:
    """Those that it was given or found, also if they are the number of sources, as before an estimation."""
    count = Reliabilities(current, SOURCES).electorate().count(VOTES)
    assert [ballot.weight for ballot in count.ballots] == pytest.approx([weight] * 2, abs=1e-4)
    assert count.confidence == pytest.approx(confidence, abs=1e-4)


@for_each(
    ("question", "current", "confidence"),
    [
        ("Is the mill red?", None, OF_TWO),
        ("Of what colour is the mill?", run("iwmv", 10, "sources"), OF_TEN),
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
    assert held.probabilities["text:yes"] == pytest.approx(confidence, abs=1e-4)


async def test_by_the_paper_a_question_for_yes_or_no_has_as_many_answers_as_there_are_sources() -> None:
    async def read(source_ids: Sequence[UUID]) -> Mapping[UUID, SourceReading]:
        return dict.fromkeys(source_ids, reading_of("yes"))

    known = Reliabilities(run("iwmv", 10, "sources"), SOURCES)
    held = {
        paper: await hold_vote("Is it red?", "scripted", known, None, AnswerParameters(kappa=2, paper=paper), read)
        for paper in (False, True)
    }
    assert [ballot.weight for ballot in held[False].count.ballots] == pytest.approx([0.2] * 2)
    assert [ballot.weight for ballot in held[True].count.ballots] == pytest.approx([5.0] * 2)


@for_each(
    ("text", "origin", "answers", "by_paper", "confidence"),
    [
        ("Is the mill red?", QueryOrigin.GIVEN, ("red", "red"), False, OF_TWO),
        ("Is the mill red?", QueryOrigin.GIVEN, ("red", "red"), True, OF_TEN),
        ("Of what colour is the mill?", QueryOrigin.GIVEN, ("yes", "yes"), False, OF_TEN),
        ("item 5", QueryOrigin.VOTES, ("Yes", "yes"), False, OF_TWO),
        ("item 5", QueryOrigin.VOTES, ("red", "red"), False, OF_TEN),
        (None, None, ("yes", "yes"), False, OF_TWO),
        (None, None, ("red", "red"), False, OF_TEN),
    ],
)
def test_votes_on_yes_or_no_are_counted_so_wherever_they_are_from(
    text: str | None, origin: QueryOrigin | None, answers: Sequence[str], by_paper: bool, confidence: float
) -> None:
    """One by one, as `POST /consensus` does, and many queries at once."""
    current = run("iwmv", 10, "10")
    current.parameters = {"labels": "10", "paper": by_paper}
    counter = Counter.of(Reliabilities(current, SOURCES))
    query = None if text is None or origin is None else VotedQuery(UUID(int=1), "q", text, origin)
    votes = [Vote(source.source_id, answer, None) for source, answer in zip(SOURCES, answers, strict=True)]
    assert counter.count(votes, query).confidence == pytest.approx(confidence, abs=1e-4)
    if query is not None:
        distinct = sorted(set(answers))
        places = np.array([distinct.index(answer) for answer in answers])
        columns = VoteColumns(np.zeros(2, dtype=np.int64), np.arange(2), places, distinct)
        (summary,) = summaries(counter, [query], columns, {})
        assert summary.confidence == pytest.approx(confidence, abs=1e-4)


def test_a_source_that_never_voted_counts_as_one_at_the_prior_that_is_read_as_often() -> None:
    """A corpus may be little better than chance, as one of few queries; what is misread is right by luck."""
    current = run("one_coin", 6, None)
    current.prior, current.prior_lower, current.prior_upper = 0.27, 0.06, 0.87
    known = replace(SOURCES[0], reliability=0.27, read_share=0.6)
    silent = replace(SOURCES[1], reliability=None, vote_count=0)
    electorate = Reliabilities(current, (known, silent)).electorate()
    assert electorate.weight(silent.source_id) == pytest.approx(electorate.weight(known.source_id))
    assert electorate.takes_part(silent.source_id)


def test_what_two_silent_sources_say_is_more_probable_than_what_one_says() -> None:
    """Little is known, and half of what is read is misread, as on health pages of 1,368 sites with seven queries."""
    current = run("one_coin", 6, None)
    current.prior, current.prior_lower, current.prior_upper = 0.44, 0.06, 0.87
    known = replace(SOURCES[0], reliability=0.44, lower=-0.09, upper=0.97, read_share=0.5)
    silent = replace(SOURCES[1], reliability=None, vote_count=0, read_share=0.5)
    others = tuple(replace(silent, source_id=UUID(int=number)) for number in (7, 8))
    electorate = Reliabilities(current, (known, *others)).electorate()
    votes = [CastVote(each.source_id, "number:7", "7", reading_confidence=0.35) for each in others]
    votes += [CastVote(known.source_id, "number:9", "9", reading_confidence=0.5)]
    count = electorate.count(votes)
    assert count.vote.winner == "number:7"
    assert count.probabilities["number:7"] > count.probabilities["number:9"]
