"""Options that are made from a model of parameters."""

from enum import StrEnum
from typing import Annotated

import pytest
import typer
from pydantic import BaseModel, Field
from typer.testing import CliRunner

from api.cli.parameter_options import parameter_options
from registry.platform.errors import InvalidInput
from tests.tables import for_each


class Colour(StrEnum):
    RED = "red"
    GREEN = "green"


class Depth(BaseModel):
    rounds: int = 3


class Parameters(BaseModel):
    strategy: Colour = Field(default=Colour.RED, description="Which colour.")
    size: Annotated[int, Field(ge=1, le=9)] | None = Field(default=None, description="How large; null is any size.")
    bold: bool = False
    red: Depth | None = None


app = typer.Typer()


@app.command()
@parameter_options(Parameters, bold="--bold/--thin")
def paint(name: str, parameters: Parameters, loud: bool = False) -> None:
    typer.echo(f"{name} {parameters.model_dump_json(exclude_none=True)} {loud}")


def output_of(*arguments: str) -> str:
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, list(arguments), catch_exceptions=False)
    return result.output.strip()


def test_each_field_is_an_option() -> None:
    assert output_of("wall") == 'wall {"strategy":"red","bold":false} False'
    painted = output_of("wall", "--strategy", "green", "--size", "4", "--bold", "--loud")
    assert painted == 'wall {"strategy":"green","size":4,"bold":true} True'


def test_help_states_values_bounds_and_defaults() -> None:
    text = " ".join(output_of("--help").replace("│", " ").split())
    parts = ("Which colour.", "[default: (red)]", "<red|green>", "1<=x<=9", "--thin", "How large; left out, it is")
    for part in parts:
        assert part in text
    assert "Invalid value" in output_of("wall", "--size", "10")


def test_parameters_of_the_strategy_are_set_by_name() -> None:
    painted = output_of("wall", "--strategy", "red", "--set", "rounds=5")
    assert painted == 'wall {"strategy":"red","bold":false,"red":{"rounds":5}} False'


@for_each(
    ("arguments", "reason"),
    [
        (["--set", "rounds=5"], "name one with --strategy"),
        (["--strategy", "red", "--set", "rounds"], "NAME=VALUE"),
        (["--strategy", "red", "--set", "rounds=many"], "red.rounds"),
    ],
)
def test_a_wrong_setting_of_a_strategy_is_refused(arguments: list[str], reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason):
        output_of("wall", *arguments)
