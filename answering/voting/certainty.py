"""How certain readings of one reader are: of one passage, of several that agree, of those that a search found."""

from collections import defaultdict
from collections.abc import Sequence
from math import prod
from typing import Final

from answering.voting.voter import CastVote, Source

INDEPENDENT_READINGS: Final = 2
"""So many readings of one reader may be wrong independently. Chosen on web results and half of the country data."""
FOUND_BY_SEARCH: Final = 0.45
"""The factor of the odds that a reading is right where a search over many sources found its passage. Of such
passages fewer hold an answer than of those that set the confidence of the compact reader. Chosen on the news
of 2023 and on web results, judged on the news of 2024 (benchmarks/notes/calibration.md)."""
LEAST_CERTAINTY: Final = 0.2
"""The certainty below which an answer from such passages does not count. Chosen on the same."""


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

    >>> vote = CastVote("herald", "oslo", "Oslo", reading_confidence=0.5, found_by_search=True)
    >>> round(certainty_of_vote(vote), 2)
    0.31
    """
    confidence = vote.certainty_of_reading
    if not vote.found_by_search:
        return confidence
    likely = FOUND_BY_SEARCH * confidence
    return likely / (likely + (1 - confidence))


def certain_votes(votes: Sequence[CastVote[Source]]) -> tuple[CastVote[Source], ...]:
    """The votes for answers that are read with some certainty.

    >>> votes = [CastVote(name, name, name, reading_confidence=sure) for name, sure in (("a", 0.1), ("b", 0.3))]
    >>> [vote.answer for vote in certain_votes(votes)]
    ['b']
    """
    classes: defaultdict[str, list[CastVote[Source]]] = defaultdict(list)
    for vote in votes:
        classes[vote.answer_key].append(vote)
    certain = {key for key, members in classes.items() if certainty_of(members) >= LEAST_CERTAINTY}
    return tuple(vote for vote in votes if vote.answer_key in certain)
