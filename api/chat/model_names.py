"""Corpora and strategies as names of models: `credence/default` answers by vote, `credence/default:auto` as it says."""

from collections.abc import Iterator
from dataclasses import dataclass

from registry.answers.schemas import Strategy
from registry.platform.errors import NotFound
from registry.runtime import Runtime

PREFIX = "credence/"


@dataclass(frozen=True, slots=True)
class ModelName:
    """A corpus and how its questions are answered.

    >>> str(ModelName("press", Strategy.AUTO))
    'credence/press:auto'
    >>> ModelName.parse("credence/press").strategy
    <Strategy.WMV: 'wmv'>
    """

    corpus: str
    strategy: Strategy = Strategy.WMV

    def __str__(self) -> str:
        return f"{PREFIX}{self.corpus}" + ("" if self.strategy is Strategy.WMV else f":{self.strategy}")

    @classmethod
    def parse(cls, text: str) -> "ModelName":
        """The name that `str` writes; `credence/` may be left out. Raises `NotFound` for an unknown strategy."""
        corpus, colon, strategy = text.removeprefix(PREFIX).partition(":")
        try:
            return cls(corpus, Strategy(strategy) if colon else Strategy.WMV)
        except ValueError as error:
            raise NotFound("model", text) from error


def models_of(runtime: Runtime, corpus: str) -> Iterator[ModelName]:
    """Each strategy that can answer questions to the corpus: those that debate need a language model."""
    for strategy in Strategy:
        if runtime.chat is not None or not strategy.debates:
            yield ModelName(corpus, strategy)
