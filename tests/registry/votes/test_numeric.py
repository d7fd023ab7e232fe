"""What votes agree on in a corpus whose answers are numbers."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError
from sqlalchemy import update

from registry.corpora.model import Corpus
from registry.platform.enums import AnswerPolicy
from registry.runtime import Runtime
from registry.votes import consensus
from registry.votes.schemas import Consensus, ConsensusSummary, VoteInput, VoteLine, VoteRow
from registry.votes.service import parse_vote
from registry.votes.summaries import consensus_of_all
from tests.registry.votes.test_votes import sent, shown
from tests.tables import for_each

# Five people guess lengths: the first two are near, the last is far off, always to one side.
OFF = {"ann": 0, "bob": 1, "cid": -5, "dee": -6, "eve": 300}


@pytest.fixture
async def numeric(runtime: Runtime, corpus: Corpus) -> Corpus:
    """The corpus, whose answers are numbers."""
    async with runtime.database.begin() as session:
        await session.execute(update(Corpus).where(Corpus.id == corpus.id).values(answers=AnswerPolicy.NUMBER))
    corpus.answers = AnswerPolicy.NUMBER
    return corpus


def guesses(tasks: int = 8) -> list[dict[str, object]]:
    """Votes in several spellings and units of one dimension."""
    return [
        {"source": name, "query": f"task {task}", "answer": f"{1000 * task + off} m" if off else f"{task} km"}
        for task in range(1, tasks + 1)
        for name, off in OFF.items()
    ]


async def summaries(runtime: Runtime, corpus: Corpus) -> dict[str | None, ConsensusSummary]:
    return {each.query: each async for batch in consensus_of_all(runtime.database, corpus) for each in batch}


async def test_near_numbers_agree_and_who_is_far_off_weighs_least(runtime: Runtime, numeric: Corpus) -> None:
    await sent(runtime, numeric, *guesses())
    found = await shown(runtime, numeric, "task 3")
    assert found.number is not None
    assert (found.number.value, found.number.unit, found.number.votes) == (3000, "m", 5)
    assert found.number.lower <= 3000 <= found.number.upper
    names = {voter.source_id: voter.name for voter in found.voters}
    assert names[found.number.voters[0].source_id] == "eve"
    weights = {names[voter.source_id]: voter.weight for voter in found.number.voters}
    assert weights["ann"] == max(weights.values())
    assert weights["eve"] == min(weights.values())
    assert {voter.deviation > 0 for voter in found.number.voters if voter.value > 3000} == {True}


async def test_all_queries_at_once_agree_on_the_same_numbers_as_each_alone(runtime: Runtime, numeric: Corpus) -> None:
    await sent(runtime, numeric, *guesses(), {"source": "ann", "query": "words", "answer": "Oslo"})
    for reference, summary in (await summaries(runtime, numeric)).items():
        alone = await shown(runtime, numeric, str(reference))
        assert summary == ConsensusSummary(**alone.model_dump(include=set(ConsensusSummary.model_fields)))
        assert (summary.number is None) == (reference == "words")


async def test_what_is_no_number_or_in_another_unit_does_not_count(runtime: Runtime, numeric: Corpus) -> None:
    answers = {"ann": "3 km", "bob": "3100 m", "cid": "3 kg", "dee": "far", "eve": "1e400"}
    await sent(runtime, numeric, *({"source": name, "query": "q", "answer": said} for name, said in answers.items()))
    found = (await shown(runtime, numeric, "q")).number
    assert found is not None
    assert (found.value, found.unit, found.votes, len(found.voters)) == (3050, "m", 2, 2)


async def test_votes_that_are_not_stored_count_too(runtime: Runtime, numeric: Corpus) -> None:
    await sent(runtime, numeric, *guesses())
    votes = [VoteInput(source="ann", answer="10 m"), VoteInput(source="eve", answer="20 m")]
    async with runtime.database.begin() as session:
        found: Consensus = await consensus.consensus_of_votes(session, numeric, votes)
    assert found.number is not None
    # Of two the one that weighs more is the median.
    assert found.number.value == 10


async def test_other_corpora_take_answers_for_labels(runtime: Runtime, corpus: Corpus) -> None:
    await sent(runtime, corpus, *guesses(1))
    assert (await shown(runtime, corpus, "task 1")).number is None
    assert {summary.number for summary in (await summaries(runtime, corpus)).values()} == {None}


TEXTS = st.one_of(
    st.text(max_size=5),
    st.sampled_from(["", " ", "\u00a0", "a\nb", "\x00", "\x1c", "\x85", "x" * 501, "x" * 201, "é", "🐦"]),
)
VALUES = st.one_of(TEXTS, st.none(), st.booleans(), st.integers(-2, 2), st.floats(-1, 2, allow_nan=False), st.just([1]))
NAMES = ("source", "worker", "query", "task", "answer", "label", "at", "confidence", "topic", "external_id", "other")


@given(
    st.fixed_dictionaries({}, optional=dict.fromkeys(("source", "query", "answer"), TEXTS)),
    st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4),
)
@example({"source": "a", "query": "b", "answer": "c"}, {"at": "2026-05-04"})
@example({"source": "a", "query": "b", "answer": "c\nd"}, {"confidence": 1})
@example({"source": "a", "query": "b", "answer": "c"}, {"confidence": None, "topic": None})
def test_every_line_is_what_the_model_makes_of_it(texts: dict[str, object], others: dict[str, object]) -> None:
    line = json.dumps(texts | others).encode()
    try:
        vote = VoteLine.model_validate_json(line)
    except ValidationError:
        with pytest.raises(ValueError, match=r"."):
            parse_vote(line)
        return
    assert parse_vote(line) == VoteRow(**{name: getattr(vote, name) for name in VoteRow.__dataclass_fields__})


@for_each("line", [b"", b"[]", b"null", b"{", b'{"source": "\\ud800", "query": "q", "answer": "a"}', b"\xff"])
def test_what_is_no_vote_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_vote(line)
