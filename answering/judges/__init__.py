"""Judges: the members of the family."""

from answering.judges.compact import COMPACT, CompactJudge
from answering.judges.judge import Judge, Judgement, JudgeProvider, Label, Pair, Quote, claim_of
from answering.judges.language_model import LANGUAGE_MODEL, ChatJudge
from answering.judges.multilingual import MULTILINGUAL

JUDGES: list[JudgeProvider] = [COMPACT, MULTILINGUAL, LANGUAGE_MODEL]


__all__ = [
    "JUDGES",
    "ChatJudge",
    "CompactJudge",
    "Judge",
    "Judgement",
    "Label",
    "Pair",
    "Quote",
    "claim_of",
]
