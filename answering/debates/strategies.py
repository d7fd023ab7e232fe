"""Every debate under its name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from answering.debates.astute import AstuteSettings, astute
from answering.debates.baselines import (
    ConcatenatedSettings,
    ConsistencySettings,
    concatenated,
    no_rag,
    self_consistency,
)
from answering.debates.drag import DragSettings, drag
from answering.debates.madam import MadamSettings, madam
from answering.debates.protocol import Debate, SourceDocument


class Strategy(StrEnum):
    """How an answer is made of documents."""

    NO_RAG = "no_rag"
    CONCATENATED = "concatenated"
    SELF_CONSISTENCY = "self_consistency"
    MADAM = "madam"
    ASTUTE = "astute"
    DRAG = "drag"


@dataclass(frozen=True, slots=True)
class DebateSettings:
    """The settings of every strategy."""

    concatenated: ConcatenatedSettings = field(default_factory=ConcatenatedSettings)
    self_consistency: ConsistencySettings = field(default_factory=ConsistencySettings)
    madam: MadamSettings = field(default_factory=MadamSettings)
    astute: AstuteSettings = field(default_factory=AstuteSettings)
    drag: DragSettings = field(default_factory=DragSettings)


_Maker = Callable[[str, Sequence[SourceDocument], DebateSettings], Debate]
_MAKERS: Mapping[Strategy, _Maker] = {
    Strategy.NO_RAG: lambda question, _documents, _settings: no_rag(question),
    Strategy.CONCATENATED: lambda question, documents, given: concatenated(question, documents, given.concatenated),
    Strategy.SELF_CONSISTENCY: lambda question, documents, given: self_consistency(
        question, documents, given.self_consistency
    ),
    Strategy.MADAM: lambda question, documents, given: madam(question, documents, given.madam),
    Strategy.ASTUTE: lambda question, documents, given: astute(question, documents, given.astute),
    Strategy.DRAG: lambda question, documents, given: drag(question, documents, given.drag),
}


def debate_of(
    strategy: Strategy, question: str, documents: Sequence[SourceDocument], settings: DebateSettings | None = None
) -> Debate:
    """A new debate, to be run once."""
    return _MAKERS[strategy](question, documents, settings or DebateSettings())
