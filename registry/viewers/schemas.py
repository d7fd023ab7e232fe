"""Groups as callers send them."""

from collections.abc import Iterable
from typing import Annotated

from pydantic import AfterValidator, Field, TypeAdapter

from registry.platform.fields import NotBlank, OneLine, Storable

MAX_GROUPS = 1_000


def _as_listed(group: str) -> str:
    if "," in group or group != group.strip():
        raise ValueError("has a comma, or white space around it: a list of groups could not be told apart")
    return group


def _distinct(groups: list[str]) -> list[str]:
    return sorted(set(groups))


Group = Annotated[
    str,
    Field(min_length=1, max_length=200, json_schema_extra={"pattern": "^[^,]+$"}),
    Storable,
    NotBlank,
    OneLine,
    AfterValidator(_as_listed),
]
# Distinct and sorted; without any it is for nobody but those who see everything.
Groups = Annotated[list[Group], Field(max_length=MAX_GROUPS), AfterValidator(_distinct)]
_GROUPS: TypeAdapter[list[str]] = TypeAdapter(Groups)


def parse_groups(lists: Iterable[str]) -> frozenset[str]:
    """The groups of lists such as `legal, board`; raises `pydantic.ValidationError`."""
    names = (name.strip() for names in lists for name in names.split(","))
    return frozenset(_GROUPS.validate_python([name for name in names if name]))
