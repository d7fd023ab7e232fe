"""The enumeration of a family names the members of its list; a table of cases is gone through to its end."""

from collections.abc import Sequence
from enum import StrEnum

import pytest

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


def test_every_row_that_fails_is_reported() -> None:
    rows_seen = []

    @for_each("number", [1, 2])
    @for_each("letter, fails", [("a", False), ("b", True)])
    def test(number: int, letter: str, base: int, *, fails: bool) -> None:
        rows_seen.append((base + number, letter))
        assert not fails

    with pytest.raises(BaseExceptionGroup, match="2 rows fail") as failure:
        test(base=10)
    assert rows_seen == [(11, "a"), (11, "b"), (12, "a"), (12, "b")]
    notes = [error.__notes__ for error in failure.value.exceptions]
    assert notes == [["The row: {'letter': 'b', 'fails': True}", f"The row: {{'number': {n}}}"] for n in (1, 2)]


async def test_a_single_error_is_raised_as_it_is() -> None:
    @for_each("number", [0, 1])
    async def test(number: int) -> None:
        assert 1 / number

    with pytest.raises(ZeroDivisionError):
        await test()
