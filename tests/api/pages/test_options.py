"""Options as fields of a form, by their schema: shown and sent again they are the same."""

from enum import StrEnum
from typing import Any

import pytest
from pydantic import BaseModel, Field

from api.pages.options import options_of, sent_options
from registry.connectors.kinds import CONNECTORS, kind_named
from registry.platform.errors import InvalidInput
from tests.tables import for_each


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Base(BaseModel):
    colour: Colour = Colour.RED


class Model(Base):
    path: str = Field(title="Path of all", description="As in `a < b`.")
    most: float | None = None
    is_on: bool = True
    names: list[str] = []
    columns: dict[str, str] = {}
    more: dict[str, Any] = {}
    either: int | list[int] = 3


def filled_in(model: type[BaseModel], values: dict[str, Any]) -> dict[str, str]:
    """What a browser sends of the form that shows these values."""
    texts = [(option, option.text(values.get(option.name, option.default))) for option in options_of(model)]
    return {option.name: text for option, text in texts if option.kind != "tick" or text == "true"}


def test_every_kind_of_option_has_its_field() -> None:
    options = {option.name: option for option in options_of(Model)}
    assert {name: option.kind for name, option in options.items()} == {
        "path": "text",
        "most": "number",
        "is_on": "tick",
        "names": "lines",
        "columns": "pairs",
        "more": "json",
        "either": "json",
        "colour": "choice",
    }
    path = options["path"]
    assert (path.label, path.hint, path.is_required) == ("Path of all", "As in <code>a &lt; b</code>.", True)
    assert options["colour"].schema["enum"] == ["red", "blue"]


@for_each(
    "values",
    [
        {"path": "/a"},
        {"path": "/a", "most": 2.5, "is_on": False, "names": ["a b", "c"], "colour": "blue", "either": [1]},
        {"path": "/a", "columns": {"a": "b = c", "{x": "y"}, "more": {"deep": [1, {"x": None}]}},
        {"path": "/a", "columns": {"a=b": "c"}},
        {"path": "/a", "columns": {"a": "two\nlines"}},
    ],
)
def test_what_is_shown_and_sent_again_is_the_same(values: dict[str, Any]) -> None:
    sent = sent_options(Model, filled_in(Model, values))
    assert Model.model_validate(sent) == Model.model_validate(values)
    assert set(sent) == set(values)


def test_what_is_not_of_the_form_is_said_of_its_field() -> None:
    for name, text in (("columns", "no pair"), ("columns", "{"), ("more", "[")):
        with pytest.raises(InvalidInput) as refused:
            sent_options(Model, {name: text})
        assert refused.value.field == name


def test_no_option_of_a_connector_is_json() -> None:
    assert {option.kind for kind in CONNECTORS for option in options_of(kind.config)} >= {"pairs"}
    assert "json" not in {option.kind for kind in CONNECTORS for option in options_of(kind.config)}
    table = {"path": "/a.csv", "columns": {"source": "site"}, "stated_values": {"subject": "x", "capital": "y"}}
    config = kind_named("table").config
    assert sent_options(config, filled_in(config, table)) == table
