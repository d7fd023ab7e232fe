"""The definition of a strategy, a member of the list `STRATEGIES` of `answering.debates.strategies`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from answering.debates.protocol import Debate, SourceDocument
from answering.debates.schema import SUMMARIES
from answering.debates.support import AnswerPolicy
from answering.errors import BadParameter
from answering.parameters import Parameters

P = TypeVar("P", bound=Parameters)


@dataclass(frozen=True, slots=True)
class StrategyDefinition(Generic[P]):
    """A way to make an answer of documents: a debate, or, without `make_debate`, a vote.

    >>> from answering.debates.strategies import STRATEGIES
    >>> from answering.debates.protocol import SourceDocument
    >>> madam = next(strategy for strategy in STRATEGIES if strategy.name == "madam")
    >>> documents = [SourceDocument("d1", "Lena Dahl leads the choir."), SourceDocument("d2", "Ivar Brask leads it.")]
    >>> [request.agent for request in next(madam.debate("Who leads the choir?", documents))]
    ['agent 1', 'agent 2']
    >>> madam.min_calls(len(documents), madam.parameters())
    3
    """

    name: str
    parameters: type[P]
    make_debate: Callable[[str, Sequence[SourceDocument], P, AnswerPolicy], Debate] | None = None
    """Makes the debate of a question, documents, parameters and the policy for answers."""
    min_calls: Callable[[int, P], int] = lambda _documents, _parameters: 0
    """The number of model calls below which a debate over so many documents has no result."""
    escalation: bool = False
    """Whether `auto` may hold it."""
    uses_documents: bool = True
    in_paper: Mapping[str, object] = field(default_factory=dict)
    """The parameters with which it is as in its paper, by name."""

    @property
    def summary(self) -> str:
        """One line for the documentation."""
        return SUMMARIES[self.name]

    def debate(
        self,
        question: str,
        documents: Sequence[SourceDocument],
        parameters: P | None = None,
        policy: AnswerPolicy | None = None,
    ) -> Debate:
        """A new debate, to be run once. Raises `BadParameter` for a strategy that votes."""
        if self.make_debate is None:
            raise BadParameter(f"{self.name} holds no debate")
        documents = documents if self.uses_documents else ()
        return self.make_debate(question, documents, parameters or self.parameters(), policy or AnswerPolicy())
