"""Providers: the members of the families of readers, chat models, embedders and judges.

Each family has one list (`READERS`, `CHATS`, `EMBEDDERS`, `JUDGES`), from which the settings, the HTTP interface and
the documentation derive. A new member is a module with a `Provider`, an entry in the list, and a name beside it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from pydantic import SecretStr

S = TypeVar("S")
T = TypeVar("T")
P = TypeVar("P", bound="Provider[Any, Any]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider(Generic[S, T]):
    """A member of a family, chosen by its name in the settings.

    `make` builds it from the settings of its family. `calls_model` says whether its use costs calls of a language
    model, which budgets and allowances limit; what does not is free. `required` maps each setting that it needs to
    what the setting holds, where its name does not say so. `summary` follows the name in the documentation.
    """

    name: str
    summary: str
    make: Callable[[S], T]
    calls_model: bool = False
    required: Mapping[str, str] = field(default_factory=dict)

    @property
    def choice(self) -> str:
        """The name, and the variables to set with it, for error messages."""
        variables = " and ".join(f"CREDENCE_{name.upper()}" for name in self.required)
        return f"`{self.name}`{variables and f' (with {variables})'}"

    def unmet(self, settings: object) -> str | None:
        """The environment variables it needs, as a phrase, where one of them is not set; else None."""
        if all(getattr(settings, name) for name in self.required):
            return None
        variables = (f"CREDENCE_{name.upper()}{holds and f', {holds}'}" for name, holds in self.required.items())
        return " and ".join(variables)


def provider_named(providers: Iterable[P], name: str) -> P:
    """The member of this name; raises `KeyError` where there is none."""
    return {provider.name: provider for provider in providers}[name]


def summaries(providers: Iterable[Provider[Any, Any]]) -> str:
    """The names with their summaries, as a sentence in Markdown without the period."""
    return "; ".join(f"`{provider.name}`: {provider.summary}" for provider in providers)


def secret_value(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret else None
