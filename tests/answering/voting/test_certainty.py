"""How certain readings are whose passages a search found among many sources."""

from hypothesis import given
from hypothesis import strategies as st

from answering.voting.certainty import (
    FOUND_BY_SEARCH,
    LEAST_CERTAINTY,
    LEAST_IN_OTHER_LANGUAGES,
    certain_votes,
    certainty_of_vote,
)
from answering.voting.voter import CastVote

ASKED, READER = "Which colour is the tower of Esk?", "compact:6c0c3730:16"


def _vote(source: str, answer: str, confidence: float | None, *words: str) -> CastVote[str]:
    around = frozenset(words)
    return CastVote(source, answer, answer, reading_confidence=confidence, around=around, search_odds=FOUND_BY_SEARCH)


@given(st.floats(0, 1), st.floats(0, 1))
def test_found_by_search_readings_are_less_certain_and_in_the_same_order(first: float, second: float) -> None:
    found = [certainty_of_vote(_vote("herald", "grey", each)) for each in (first, second)]
    assert 0 <= found[0] <= first <= 1
    assert (found[0] <= found[1]) or first > second


def test_what_was_not_read_stays_certain() -> None:
    vote = _vote("herald", "grey", None)
    assert certainty_of_vote(vote) == 1
    assert certain_votes([vote], ASKED, READER) == (vote,)


def test_uncertain_answers_count_where_others_say_so_in_other_words() -> None:
    unsure = 1.5 * LEAST_CERTAINTY
    alone, agreeing = _vote("herald", "pink", unsure), [_vote("post", "grey", unsure), _vote("times", "grey", unsure)]
    assert certain_votes([alone, *agreeing], ASKED, READER) == tuple(agreeing)
    copied = [_vote("post", "grey", unsure, "the", "tower"), _vote("times", "grey", unsure, "the", "tower")]
    assert certain_votes(copied, ASKED, READER) == ()


def test_the_reader_of_other_languages_is_as_certain_as_it_says_and_has_a_bar_of_its_own() -> None:
    sure, unsure = (_vote(name, name, LEAST_IN_OTHER_LANGUAGES * by) for name, by in (("grau", 1.01), ("rosa", 0.9)))
    asked, reader = "Welche Farbe hat der Turm von Esk?", "multilingual:2c1676c6:7:compact:6c0c3730:16"
    (counting,) = certain_votes([sure, unsure], asked, reader)
    assert (counting.answer, certainty_of_vote(counting)) == ("grau", sure.certainty_of_reading)
    assert certain_votes([sure], ASKED, reader) == ()
    assert certain_votes([sure], asked, READER) == ()
