"""How certain readings are whose passages a search found among many sources."""

from hypothesis import given
from hypothesis import strategies as st

from answering.voting.certainty import LEAST_CERTAINTY, as_found_by_search, certain_votes
from answering.voting.voter import CastVote


def _vote(source: str, answer: str, confidence: float | None, *words: str) -> CastVote[str]:
    return CastVote(source, answer, answer, reading_confidence=confidence, around=frozenset(words))


@given(st.floats(0, 1), st.floats(0, 1))
def test_found_by_search_readings_are_less_certain_and_in_the_same_order(first: float, second: float) -> None:
    found = [as_found_by_search(_vote("herald", "grey", each)).certainty_of_reading for each in (first, second)]
    assert 0 <= found[0] <= first <= 1
    assert (found[0] <= found[1]) or first > second


def test_what_was_not_read_stays_certain() -> None:
    vote = _vote("herald", "grey", None)
    assert as_found_by_search(vote) == vote
    assert certain_votes([vote]) == (vote,)


def test_uncertain_answers_count_where_others_say_so_in_other_words() -> None:
    half = LEAST_CERTAINTY * 0.6
    alone, agreeing = _vote("herald", "pink", half), [_vote("post", "grey", half), _vote("times", "grey", half)]
    assert certain_votes([alone, *agreeing]) == tuple(agreeing)
    copied = [_vote("post", "grey", half, "the", "tower"), _vote("times", "grey", half, "the", "tower")]
    assert certain_votes(copied) == ()
