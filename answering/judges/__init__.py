"""Judges: one port, its members. The compact one, in `answering.judges.compact`, loads onnxruntime when imported."""

from answering.judges.claims import claim_of
from answering.judges.openai import ChatJudge, OpenAIJudge
from answering.judges.port import Evidence, Judge, Judgement, Label, Pair
from answering.judges.scripted import ScriptedJudge

__all__ = [
    "ChatJudge",
    "CompactJudge",
    "Evidence",
    "Judge",
    "Judgement",
    "Label",
    "OpenAIJudge",
    "Pair",
    "ScriptedJudge",
    "claim_of",
]
