"""Debates over documents: generators without I/O, and one driver for all of them.

debate = madam(question, documents, MadamSettings(rounds=2))
limits = DebateLimits(Budget(calls=30, tokens=40_000, seconds=60))
result = await run(debate, Services(chat=chat), limits)             # or, as it happens:
async with aclosing(stream(debate, Services(chat=chat), limits)) as events: ...
"""

from answering.debates.astute import AstuteSettings, SourceLabels, astute
from answering.debates.auto import (
    Action,
    AutoSettings,
    DebateResources,
    Decision,
    Reason,
    VoteEvidence,
    decide,
    side_by_side,
)
from answering.debates.baselines import (
    ConcatenatedSettings,
    ConsistencySettings,
    concatenated,
    no_rag,
    self_consistency,
)
from answering.debates.drag import DragSettings, drag
from answering.debates.driver import DebateEnded, DebateLimits, Event, Listener, TurnBegan, TurnEnded, run, stream
from answering.debates.madam import FirstReading, MadamSettings, Unaggregated, madam
from answering.debates.protocol import (
    Debate,
    DebateAnswer,
    DebateResult,
    ReplyStatus,
    SourceDocument,
    StopReason,
    Turn,
    TurnKind,
)
from answering.debates.services import Searcher, Services
from answering.debates.strategies import DebateSettings, Strategy, debate_of

__all__ = [
    "Action",
    "AstuteSettings",
    "AutoSettings",
    "ConcatenatedSettings",
    "ConsistencySettings",
    "Debate",
    "DebateAnswer",
    "DebateEnded",
    "DebateLimits",
    "DebateResources",
    "DebateResult",
    "DebateSettings",
    "Decision",
    "DragSettings",
    "Event",
    "FirstReading",
    "Listener",
    "MadamSettings",
    "Reason",
    "ReplyStatus",
    "Searcher",
    "Services",
    "SourceDocument",
    "SourceLabels",
    "StopReason",
    "Strategy",
    "Turn",
    "TurnBegan",
    "TurnEnded",
    "TurnKind",
    "Unaggregated",
    "VoteEvidence",
    "astute",
    "concatenated",
    "debate_of",
    "decide",
    "drag",
    "madam",
    "no_rag",
    "run",
    "self_consistency",
    "side_by_side",
    "stream",
]
