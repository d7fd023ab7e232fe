"""Texts as they come in: bounded, and such that Postgres can store them."""

import math
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def storable_text(value: str) -> str:
    """The text as it is; raises ValueError for what no Postgres text can hold."""
    if "\x00" in value:
        raise ValueError("contains a NUL character, which cannot be stored; remove it")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError("contains half of a surrogate pair, which is no character; remove it") from error
    return value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be blank")
    return value


def _storable_json(value: dict[str, Any]) -> dict[str, Any]:
    _check_json(value, 0)
    return value


def _check_json(value: object, depth: int) -> None:
    if depth > 20:
        raise ValueError("is nested too deeply; 20 levels are enough")
    if isinstance(value, str):
        storable_text(value)
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError("contains a number that is not finite, which JSON does not have")
    elif isinstance(value, dict):
        for key, inner in value.items():
            storable_text(str(key))
            _check_json(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            _check_json(inner, depth + 1)


Storable = AfterValidator(storable_text)
NotBlank = AfterValidator(_not_blank)
Name = Annotated[str, Field(min_length=1, max_length=200), Storable, NotBlank]
ExternalId = Annotated[str, Field(min_length=1, max_length=500), Storable, NotBlank]
Description = Annotated[str, Field(max_length=10_000), Storable]
Title = Annotated[str, Field(max_length=2_000), Storable]
Url = Annotated[str, Field(max_length=2_000), Storable]
Question = Annotated[str, Field(min_length=1, max_length=10_000), Storable, NotBlank]
Attributes = Annotated[dict[str, Any], AfterValidator(_storable_json)]


class Input(BaseModel):
    """What a caller sends: frozen, and strict about names, so that a misspelt field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)
