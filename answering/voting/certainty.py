"""How certain readings of one reader are: of one passage, of several that agree, of those that a search found."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Final

from answering.text.language import may_be_english
from answering.voting.voter import CastVote, Source

INDEPENDENT_READINGS: Final = 2
"""So many readings of one reader may be wrong independently. Chosen on web results and half of the country data."""
FOUND_BY_SEARCH: Final = 0.45
"""The factor of the odds that a reading is right where a search over many sources found its passage. Of such
passages fewer hold an answer than of those that set the confidence of the compact reader. Chosen on the news
of 2023 and on web results, judged on the news of 2024 (benchmarks/notes/calibration.md)."""
LEAST_CERTAINTY: Final = 0.2
"""The certainty below which an answer from such passages does not count. Chosen on the same."""
LEAST_IN_OTHER_LANGUAGES: Final = 0.25
"""The same in the languages of the multilingual reader, whose confidence needs no factor there. Chosen on French,
Italian and Japanese, judged on German, Spanish, Turkish and Chinese (docs/results/languages.md)."""


def certainty_of(votes: Sequence[CastVote[Source]]) -> float:
    """The probability that one of the surest of these readings, each of another sentence, is right."""
    surest: list[CastVote[Source]] = []
    for vote in sorted(votes, key=lambda vote: -vote.certainty_of_reading):
        if len(surest) < INDEPENDENT_READINGS and not any(map(vote.shares_sentence, surest)):
            surest.append(vote)
    return 1 - prod(1 - certainty_of_vote(vote) for vote in surest)


def certainty_of_vote(vote: CastVote[Source]) -> float:
    """The confidence of its reading in [0, 1]; where a search found the passage, that under another prior, the share of
    passages that answer (Saerens, Latinne and Decaestecker 2002, Neural Computation 14).

    >>> vote = CastVote("herald", "oslo", "Oslo", reading_confidence=0.5, search_odds=FOUND_BY_SEARCH)
    >>> round(certainty_of_vote(vote), 2)
    0.31
    """
    confidence = vote.certainty_of_reading
    if vote.search_odds == 1:
        return confidence
    likely = vote.search_odds * confidence
    return likely / (likely + (1 - confidence))


def certain_votes(votes: Sequence[CastVote[Source]], question: str, reader: str) -> tuple[CastVote[Source], ...]:
    """The votes, on passages that a search found, for answers that the reader of this name read with some certainty.

    >>> votes = [CastVote(name, name, name, reading_confidence=sure) for name, sure in (("a", 0.3), ("b", 0.5))]
    >>> [vote.answer for vote in certain_votes(votes, "Who built the mill?", "compact:6c0c3730:16")]
    ['b']
    """
    factor, least = FOUND_BY_SEARCH, LEAST_CERTAINTY
    if reader.startswith("multilingual:") and not may_be_english(question):
        factor, least = 1.0, LEAST_IN_OTHER_LANGUAGES
    found = [replace(vote, search_odds=factor) for vote in votes]
    classes: defaultdict[str, list[CastVote[Source]]] = defaultdict(list)
    for vote in found:
        classes[vote.answer_key].append(vote)
    certain = {key for key, members in classes.items() if certainty_of(members) >= least}
    return tuple(vote for vote in found if vote.answer_key in certain)
