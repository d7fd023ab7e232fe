"""Lines of votes are parsed as the model of a vote parses them."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from registry.votes.schemas import VoteLine, VoteRow
from registry.votes.service import parse_vote
from tests.tables import for_each

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
