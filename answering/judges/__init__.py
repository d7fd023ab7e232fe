"""Judges: one port, its members."""

from answering.judges.claims import claim_of
from answering.judges.openai import OpenAIJudge
from answering.judges.port import Evidence, Judge, Judgement, Label, Pair
from answering.judges.scripted import ScriptedJudge

__all__ = ["Evidence", "Judge", "Judgement", "Label", "OpenAIJudge", "Pair", "ScriptedJudge", "claim_of"]
