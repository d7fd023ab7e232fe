"""Answers from documents by debate: strategies are generators without I/O, and one driver runs them all.

Parameters of a strategy and enumerations are in the module of their subject, for example `answering.debates.madam`.
"""

from answering.debates.astute import astute
from answering.debates.auto import DebateResources, Decision, VoteEvidence, decide, side_by_side
from answering.debates.concatenated import concatenated
from answering.debates.drag import drag
from answering.debates.driver import DebateLimits, run
from answering.debates.execution import Services
from answering.debates.madam import madam
from answering.debates.no_rag import no_rag
from answering.debates.protocol import SourceDocument
from answering.debates.self_consistency import self_consistency
from answering.debates.strategies import STRATEGIES
from answering.debates.strategy import StrategyDefinition
from answering.debates.support import AnswerPolicy

__all__ = [
    "STRATEGIES",
    "AnswerPolicy",
    "DebateLimits",
    "DebateResources",
    "Decision",
    "Services",
    "SourceDocument",
    "StrategyDefinition",
    "VoteEvidence",
    "astute",
    "concatenated",
    "decide",
    "drag",
    "madam",
    "no_rag",
    "run",
    "self_consistency",
    "side_by_side",
]
