"""How certain readings are whose passages a search found among many sources."""

from hypothesis import given
from hypothesis import strategies as st

from answering.voting.certainty import LEAST_CERTAINTY, certain_votes, certainty_of_vote
from answering.voting.voter import CastVote


def _vote(source: str, answer: str, confidence: float | None, *words: str) -> CastVote[str]:
    around = frozenset(words)
    return CastVote(source, answer, answer, reading_confidence=confidence, around=around, found_by_search=True)


@given(st.floats(0, 1), st.floats(0, 1))
def test_found_by_search_readings_are_less_certain_and_in_the_same_order(first: float, second: float) -> None:
    found = [certainty_of_vote(_vote("herald", "grey", each)) for each in (first, second)]
    assert 0 <= found[0] <= first <= 1
    assert (found[0] <= found[1]) or first > second


def test_what_was_not_read_stays_certain() -> None:
    vote = _vote("herald", "grey", None)
    assert certainty_of_vote(vote) == 1
    assert certain_votes([vote]) == (vote,)


def test_uncertain_answers_count_where_others_say_so_in_other_words() -> None:
    unsure = 1.5 * LEAST_CERTAINTY
    alone, agreeing = _vote("herald", "pink", unsure), [_vote("post", "grey", unsure), _vote("times", "grey", unsure)]
    assert certain_votes([alone, *agreeing]) == tuple(agreeing)
    copied = [_vote("post", "grey", unsure, "the", "tower"), _vote("times", "grey", unsure, "the", "tower")]
    assert certain_votes(copied) == ()
