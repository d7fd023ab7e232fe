"""Choices of a strategy as they are typed: `--set rounds=2`."""

import json
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from registry.errors import InvalidInput
from registry.inputs.strategies import Strategy

ChoicesOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A choice of the strategy, e.g. rounds=2; repeat for more."),
]


def chosen(strategy: Strategy | None, choices: Sequence[str]) -> dict[str, Any]:
    """The choices as parameters of the strategy. Raises `InvalidInput`; their values are checked with the others."""
    if not choices:
        return {}
    if strategy is None:
        raise InvalidInput("--set chooses something about a strategy; name one with --strategy.")
    return {strategy.value: dict(map(_pair, choices))}


def _pair(choice: str) -> tuple[str, Any]:
    name, equals, value = choice.partition("=")
    if not equals or not name.strip():
        raise InvalidInput(f"--set takes NAME=VALUE, not {choice[:100]!r}.")
    return name.strip(), _value(value.strip())


def _value(text: str) -> Any:  # noqa: ANN401  (whatever JSON holds)
    """Numbers and truth values as JSON writes them; everything else is a word."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
