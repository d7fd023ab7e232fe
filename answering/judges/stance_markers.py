"""Words by which a passage that repeats a claim says that it is false, or only that others say so. English.

The compact judge reads a passage that repeats a claim as support. The markers are the refuting and hedging words of
Ferreira and Vlachos 2016 (doi:10.18653/v1/N16-1138), without `not` and `despite`, and others of the same kinds. The
least densities were chosen on one half of FNC-1 (`benchmarks/notes/judge.md`).
"""

import re
from dataclasses import dataclass

from answering.judges.judge import Label
from answering.judges.quotes import sentence_at

_REFUTING = re.compile(
    r"\b(?:fake[ds]?|fraud(?:s|ulent)?|hoax(?:es|ers?)?|false(?:ly|hoods?)?|den(?:y|ies|ied|ying)|bogus|debunk(?:s|ed|ing)?"
    r"|pranks?|retract(?:s|ed|ion)?|doubts?|untrue|satir(?:e|ical)|fabricat(?:e[ds]?|ions?)|myths?|scams?|disprove[dns]?"
    r"|refute[ds]?|misleading|photoshop(?:ped)?|urban legends?|no (?:truth|evidence))\b"
    r"|(?:\bnot|n['’]t|\bnever) (?:\w+ )?(?:true|real|happen(?:ed|s|ing)?)\b",  # noqa: RUF001  (an apostrophe as people set it)
    re.IGNORECASE,
)
_REPORTING = re.compile(
    r"\b(?:alleg(?:e|es|ed|edly|ing|ations?)|purport(?:s|ed|edly)?|reportedly|rumou?r(?:s|ed)?|supposed(?:ly)?|unconfirmed"
    r"|unverified|speculat(?:e[ds]?|ing|ions?)|claim(?:s|ed|ing)?|gossip|hearsay|(?:go|goes|gone|went) viral|said to"
    r"|believed to|conspiracy theor(?:y|ies))\b",
    re.IGNORECASE,
)
_HEDGING = re.compile(
    r"\b(?:apparent(?:ly)?|appears?|reports?|reported|according to|sources?|(?-i:may)(?! \d)|might|could|maybe|perhaps"
    r"|possibl[ey]|probably|presumably|likely|whether|questions?|questioned)\b|\?",
    re.IGNORECASE,
)
_NEGATION = re.compile(r"\b(?:not?|never|none|nobody|nothing|without)\b|n['’]t\b", re.IGNORECASE)  # noqa: RUF001  (the same)
# Markers in a hundred words; passages of fewer words count as a hundred.
_LEAST_REFUTING = 0.5
_LEAST_REPORTING = 0.5
_LEAST_HEDGING = 2.0
_WORDS = 100
# The answer to a question is marked by what stands so shortly before it.
_SCOPE_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class StanceMarkers:
    """Probabilities of support, contradicts or reports by markers, and the characters [start, end) of one of them."""

    label: Label
    start: int
    end: int


def find_markers(claim: str, passage: str) -> StanceMarkers | None:
    """The stance of a whole passage on a statement that it repeats; None where its markers are too few.

    >>> find_markers("A third moon was found.", "The story that a third moon was found is a hoax.").label.value
    'contradicts'
    >>> find_markers("A third moon was found.", "A third moon was reportedly found.").label.value
    'reports'
    """
    hundreds = max(len(passage.split()), _WORDS) / _WORDS
    refuting, reporting = _refuting(claim, passage), _reporting(_REPORTING, claim, passage)
    if len(refuting) >= _LEAST_REFUTING * hundreds:
        return StanceMarkers(Label.CONTRADICTS, *refuting[0].span())
    if len(reporting) >= _LEAST_REPORTING * hundreds:
        return StanceMarkers(Label.REPORTS, *reporting[0].span())
    hedging = reporting + _reporting(_HEDGING, claim, passage)
    return StanceMarkers(Label.REPORTS, *hedging[0].span()) if len(hedging) >= _LEAST_HEDGING * hundreds else None


def find_markers_before(claim: str, passage: str, start: int) -> StanceMarkers | None:
    """The stance by the markers shortly before `start`, in its sentence: where the passage gives the claim's answer.

    >>> find_markers_before("Who did it? Lee.", "The police doubt that Lee did it.", 22).label.value
    'contradicts'
    """
    begin = max(sentence_at(passage, start, start).start, start - _SCOPE_CHARACTERS)
    before = passage[begin:start]
    for matches, label in (
        (_refuting(claim, before), Label.CONTRADICTS),
        (_reporting(_REPORTING, claim, before), Label.REPORTS),
    ):
        if matches:
            return StanceMarkers(label, begin + matches[-1].start(), begin + matches[-1].end())
    return None


def _refuting(claim: str, text: str) -> list[re.Match[str]]:
    """The refuting markers; none where the claim is itself a denial, which they agree with."""
    return [] if _REFUTING.search(claim) or _NEGATION.search(claim) else list(_REFUTING.finditer(text))


def _reporting(kind: re.Pattern[str], claim: str, text: str) -> list[re.Match[str]]:
    """The markers of a kind, but for those that the claim has too, which the passage repeats."""
    claimed = {match.group().casefold() for match in kind.finditer(claim)}
    return [match for match in kind.finditer(text) if match.group().casefold() not in claimed]
