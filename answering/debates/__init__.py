"""Debates over documents: generators without I/O, and one driver for all of them.

debate = madam(question, documents, MadamSettings(rounds=2))
limits = DebateLimits(Budget(calls=30, tokens=40_000, seconds=60))
result = await run(debate, Services(chat=chat), limits)             # or, as it happens:
async with aclosing(stream(debate, Services(chat=chat), limits)) as events: ...
"""

from answering.debates.baselines import (
    ConcatenatedSettings,
    ConsistencySettings,
    concatenated,
    no_rag,
    self_consistency,
)
from answering.debates.driver import DebateEnded, DebateLimits, Event, Listener, TurnBegan, TurnEnded, run, stream
from answering.debates.madam import FirstReading, MadamSettings, madam
from answering.debates.port import Debate, DebateAnswer, DebateResult, Document, ReplyStatus, StopReason, Turn, TurnKind
from answering.debates.services import Searcher, Services

__all__ = [
    "ConcatenatedSettings",
    "ConsistencySettings",
    "Debate",
    "DebateAnswer",
    "DebateEnded",
    "DebateLimits",
    "DebateResult",
    "Document",
    "Event",
    "FirstReading",
    "Listener",
    "MadamSettings",
    "ReplyStatus",
    "Searcher",
    "Services",
    "StopReason",
    "Turn",
    "TurnBegan",
    "TurnEnded",
    "TurnKind",
    "concatenated",
    "madam",
    "no_rag",
    "run",
    "self_consistency",
    "stream",
]
