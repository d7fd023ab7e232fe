"""The strategies, in the order in which they are documented."""

from typing import Any

from answering.debates.astute import ASTUTE
from answering.debates.auto import AUTO
from answering.debates.concatenated import CONCATENATED
from answering.debates.drag import DRAG
from answering.debates.madam import MADAM
from answering.debates.no_rag import NO_RAG
from answering.debates.self_consistency import SELF_CONSISTENCY
from answering.debates.strategy import StrategyDefinition
from answering.parameters import Parameters

WMV = StrategyDefinition("wmv", Parameters)

STRATEGIES: list[StrategyDefinition[Any]] = [
    WMV,
    MADAM,
    ASTUTE,
    DRAG,
    AUTO,
    CONCATENATED,
    SELF_CONSISTENCY,
    NO_RAG,
]
"""Settings, the HTTP schema and the command line are derived from this list."""
