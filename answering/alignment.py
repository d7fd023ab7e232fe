"""Does an answer stand on the passages it was read from? RA-RAG section 3.2: what does not, counts as IDK."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from rouge_score.rouge_scorer import RougeScorer

from answering.errors import BadParameter
from answering.text import squad_normalise, tokenize

DEFAULT_THRESHOLD = 0.9

_ABSTENTIONS = frozenset(
    (
        "idk",
        "i dont know",
        "i do not know",
        "i dont know answer",
        "i do not know answer",
        "dont know",
        "do not know",
        "unknown",
        "not known",
        "no answer",
        "unanswerable",
        "not answerable",
        "not mentioned",
        "not stated",
        "not specified",
        "not provided",
        "not given",
        "no information",
        "not enough information",
        "insufficient information",
        "cannot be determined",
        "cannot answer",
        "cannot be answered",
        "unclear",
        "unspecified",
        "undetermined",
        "not found",
        "not available",
        "not clear",
        "not sure",
        "im not sure",
    )
)
"""Normalised as SQuAD does: without case, apostrophes and articles. Chattier refusals fail the alignment."""


class AlignmentReason(StrEnum):
    """What became of an answer."""

    ALIGNED = "aligned"
    ABSTAINED = "abstained"
    MISALIGNED = "misaligned"


@dataclass(frozen=True, slots=True)
class Alignment:
    """An answer that may vote, or None for IDK; `score` is its ROUGE-1 precision, 0 for an abstention."""

    answer: str | None
    score: float
    reason: AlignmentReason


class _AnyScript:
    """The tokeniser port of rouge-score, whose own drops every letter that is not ASCII."""

    def tokenize(self, text: str) -> list[str]:
        return tokenize(text)


_SCORER = RougeScorer(["rouge1"], tokenizer=_AnyScript())


def rouge1_precision(answer: str, passages: Sequence[str]) -> float:
    """The share of the answer's unigrams that occur in the passages (Lin 2004), in [0, 1]; 0 without any."""
    return float(_SCORER.score("\n".join(passages), answer)["rouge1"].precision)


def is_abstention(answer: str | None) -> bool:
    """Whether there is no answer: None, one of the common spellings of IDK, or not a single word or number."""
    return answer is None or squad_normalise(answer) in _ABSTENTIONS or not tokenize(answer)


def align(answer: str | None, passages: Sequence[str], threshold: float = DEFAULT_THRESHOLD) -> Alignment:
    """The alignment f_align of RA-RAG: an answer with a ROUGE-1 precision below `threshold` becomes IDK.

    Raises `BadParameter` for a threshold outside [0, 1].
    """
    if not 0.0 <= threshold <= 1.0:
        raise BadParameter(f"the alignment threshold is a share of words: 0 to 1, not {threshold}")
    if answer is None or is_abstention(answer):
        return Alignment(None, 0.0, AlignmentReason.ABSTAINED)
    score = rouge1_precision(answer, passages)
    if score < threshold:
        return Alignment(None, score, AlignmentReason.MISALIGNED)
    return Alignment(answer.strip(), score, AlignmentReason.ALIGNED)
