"""Whether an answer is grounded in the passages it was read from (RA-RAG, arXiv:2410.22954, section 3.2)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from answering.errors import BadParameter
from answering.text import squad_normalise, tokenize

__all__ = ["DEFAULT_THRESHOLD", "Alignment", "AlignmentReason", "align", "is_abstention", "rouge1_precision"]

DEFAULT_THRESHOLD = 0.9

# As `squad_normalise` writes them. Longer refusals fail the alignment anyway.
_ABSTENTIONS = frozenset(
    """idk, i dont know, i do not know, i dont know answer, i do not know answer, dont know, do not know, unknown,
    not known, no answer, unanswerable, not answerable, not mentioned, not stated, not specified, not provided,
    not given, no information, not enough information, insufficient information, cannot be determined, cannot answer,
    cannot be answered, unclear, unspecified, undetermined, not found, not available, not clear, not sure,
    im not sure""".replace("\n    ", " ").split(", ")
)
_VERDICTS = frozenset({"yes", "no"})


class AlignmentReason(StrEnum):
    """The reason why an answer was kept or became IDK.

    >>> align("IDK", []).reason is AlignmentReason.ABSTAINED
    True
    """

    ALIGNED = "aligned"
    ABSTAINED = "abstained"
    MISALIGNED = "misaligned"


@dataclass(frozen=True, slots=True)
class Alignment:
    """An answer that may vote, or None for IDK; `score` is its ROUGE-1 precision, 0 for an abstention.

    >>> align(None, ["It was built in 1874."]).score
    0.0
    """

    answer: str | None
    score: float
    reason: AlignmentReason


def rouge1_precision(answer: str, passages: Sequence[str]) -> float:
    """ROUGE-1 precision (Lin 2004): the share of the answer's unigrams that occur in the passages, in [0, 1].

    A unigram that the answer has more often than the passages counts as often as they have it. 0 without any unigram.

    >>> rouge1_precision("Captain Ilse Vern", ["built by captain Ilse Varn"])
    0.6666666666666666
    """
    unigrams, retrieved = Counter(tokenize(answer)), Counter(tokenize("\n".join(passages)))
    return (unigrams & retrieved).total() / unigrams.total() if unigrams else 0.0


def is_abstention(answer: str | None) -> bool:
    """Whether there is no answer: None, a common spelling of IDK, or no word and no number.

    >>> is_abstention("I don't know."), is_abstention("The Unknown Soldier")
    (True, False)
    """
    return answer is None or squad_normalise(answer) in _ABSTENTIONS or not tokenize(answer)


def align(answer: str | None, passages: Sequence[str], threshold: float = DEFAULT_THRESHOLD) -> Alignment:
    """f_align of RA-RAG: an answer with a ROUGE-1 precision below `threshold` becomes IDK.

    Yes and No stay, since no passage has to hold these words.
    Raises `BadParameter` for a threshold outside [0, 1].

    >>> align("1874", ["The lighthouse was built in 1874."])
    Alignment(answer='1874', score=1.0, reason=<AlignmentReason.ALIGNED: 'aligned'>)
    >>> align("1875", ["The lighthouse was built in 1874."]).reason
    <AlignmentReason.MISALIGNED: 'misaligned'>
    """
    if not 0.0 <= threshold <= 1.0:
        raise BadParameter(f"the alignment threshold is a share of words: 0 to 1, not {threshold}")
    if answer is None or is_abstention(answer):
        return Alignment(None, 0.0, AlignmentReason.ABSTAINED)
    score = rouge1_precision(answer, passages)
    if score < threshold and not (passages and squad_normalise(answer) in _VERDICTS):
        return Alignment(None, score, AlignmentReason.MISALIGNED)
    return Alignment(answer.strip(), score, AlignmentReason.ALIGNED)
