"""The enumeration of a family names the members of its list, in the same order."""

from collections.abc import Sequence
from enum import StrEnum

from answering.debates.strategies import STRATEGIES
from answering.embedders import EMBEDDERS, EmbedderKind
from answering.enums import JudgeKind
from answering.judges import JUDGES
from answering.readers import READERS, ReaderKind
from estimator.methods import METHODS
from registry.answers.schemas import Escalation, Strategy, StrategyChoice
from registry.connectors.kinds import CONNECTORS, Kind
from registry.estimations.schemas import EstimationParameters, Method
from registry.platform.settings import AnswerJudge
from tests.tables import for_each

FAMILIES: list[tuple[type[StrEnum], Sequence[str]]] = [
    (Method, [method.name for method in METHODS]),
    (Strategy, [strategy.name for strategy in STRATEGIES]),
    (Escalation, [strategy.name for strategy in STRATEGIES if strategy.escalation]),
    (ReaderKind, [reader.name for reader in READERS]),
    (EmbedderKind, [embedder.name for embedder in EMBEDDERS]),
    (JudgeKind, [judge.name for judge in JUDGES]),
    (AnswerJudge, [*(judge.name for judge in JUDGES), "none"]),
    (Kind, [kind.name for kind in CONNECTORS]),
]


@for_each(("kinds", "names"), FAMILIES)
def test_every_member_is_named(kinds: type[StrEnum], names: Sequence[str]) -> None:
    assert list(kinds) == list(names)


def test_every_strategy_with_parameters_has_a_field_for_them() -> None:
    with_parameters = {strategy.name for strategy in STRATEGIES if strategy.parameters.model_fields}
    assert with_parameters <= StrategyChoice.model_fields.keys()


def test_the_description_of_the_method_says_what_each_does() -> None:
    """It is written there, as clients would import the whole estimator to put it together."""
    summaries = "; ".join(f"`{method.name}`: {method.summary}" for method in METHODS)
    assert (
        " ".join(str(EstimationParameters.model_fields["method"].description).split()) == f"The estimator. {summaries}."
    )
