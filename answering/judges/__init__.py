"""Judges: one port, its members. The compact one, in `answering.judges.compact`, loads onnxruntime when imported."""

from answering.judges.judge import Judge, Judgement, Label, Pair, Quote, claim_of
from answering.judges.language_model import ChatJudge, OpenAIJudge
from answering.judges.scripted import ScriptedJudge

__all__ = [
    "ChatJudge",
    "CompactJudge",
    "Judge",
    "Judgement",
    "Label",
    "OpenAIJudge",
    "Pair",
    "Quote",
    "ScriptedJudge",
    "claim_of",
]
