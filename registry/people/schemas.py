"""People as callers send them, and what their roles allow."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import AfterValidator, Field

from registry.keys.schemas import Scope
from registry.platform.enums import Role
from registry.platform.fields import Input, Name, OneLine, Storable

SCOPES: Final[Mapping[Role, frozenset[Scope]]] = {
    Role.OWNER: frozenset({Scope.ADMIN}),
    Role.EDITOR: frozenset({Scope.READ, Scope.ASK, Scope.INGEST}),
    Role.READER: frozenset({Scope.READ, Scope.ASK}),
}
"""The scopes of each role, the highest first."""

Email = Annotated[
    str,
    Field(max_length=254, pattern=r"^[^@\s]+@[^@\s]+$", examples=["ada@example.org"]),
    Storable,
    OneLine,
    AfterValidator(str.lower),
]


def role_of(scopes: Collection[str]) -> Role:
    """The role with these scopes."""
    return next(role for role, of_role in SCOPES.items() if of_role == set(scopes))


def highest(names: Collection[object]) -> Role | None:
    """The highest role among these names, or None if none of them is a role."""
    return next((role for role in SCOPES if role in names), None)


class PersonInput(Input):
    """A person who is expected to sign in."""

    email: Email
    """The address that the provider has verified as theirs."""
    role: Role
    """What they may do."""
    corpus: Name | None = None
    """Name or id of the only corpus that they may do it in; null: all."""


class PersonPatch(Input):
    """Fields of a person to change; those left out stay."""

    role: Role | None = None
    """What they may do."""
    corpus: Name | None = None
    """Name or id of the only corpus that they may do it in; null: all."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A person, by the word of the provider."""

    issuer: str
    subject: str
    """Stays the same for as long as the provider knows them."""
    email: str | None
    is_verified: bool
    """Whether the provider says that the address is theirs."""
    name: str | None
    role: Role | None
    """The role that the provider gives them; None if it gives none."""
