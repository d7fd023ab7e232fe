"""The viewers of a document, and the asker of a question."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Viewer:
    """The groups of an API key, narrowed by those of a request; without any they see what is for everybody."""

    groups: frozenset[str] | None = None
    """None is no restriction: everything is seen."""

    @classmethod
    def of(cls, groups: Iterable[str] | None) -> Self:
        return cls(None if groups is None else frozenset(groups))

    @property
    def sees_all(self) -> bool:
        return self.groups is None

    @property
    def stored(self) -> list[str] | None:
        return None if self.groups is None else sorted(self.groups)

    def narrowed(self, groups: frozenset[str]) -> "Viewer":
        return Viewer(groups if self.groups is None else self.groups & groups)

    def sees_as_much_as(self, other: "Viewer") -> bool:
        return self.groups is None or (other.groups is not None and other.groups <= self.groups)


ALL_SEEING = Viewer()


@dataclass(frozen=True, slots=True)
class Asker:
    """The asker: what they see, and the API key that pays for language models, if there is one."""

    viewer: Viewer = ALL_SEEING
    key_id: UUID | None = None


UNRESTRICTED = Asker()
