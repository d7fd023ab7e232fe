"""The documents of a debate: what sources published, as found, each known by a short name for as long as it lasts."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from itertools import pairwise
from uuid import UUID

from answering.debates import SourceDocument
from answering.passages import RetrievedPassage
from registry.store.reliabilities import SourceReliability

GAP = "\n[...]\n"


@dataclass(frozen=True, slots=True)
class Shelved:
    """A document as a debate reads it, and whose it is; `passages` are those that were found, in their order."""

    document: SourceDocument
    standing: SourceReliability
    passages: tuple[RetrievedPassage, ...]
    selected: bool
    """Whether its source is one of the selected."""


class Shelf:
    """Gives each document a name, `d1` and so on; a passage that is there already is not put there twice."""

    def __init__(self, standings: Mapping[UUID, SourceReliability], selected: Collection[UUID]) -> None:
        self._standings = standings
        self._selected = frozenset(selected)
        self._entries: dict[str, Shelved] = {}
        self._names: dict[tuple[UUID, int], str] = {}

    @property
    def entries(self) -> Mapping[str, Shelved]:
        """By name, in the order in which they came."""
        return self._entries

    def put(self, found: Iterable[RetrievedPassage]) -> tuple[SourceDocument, ...]:
        """The documents of these passages, in their order; sources that nobody knows of any more have none."""
        groups: dict[UUID, list[RetrievedPassage]] = {}
        for passage in found:
            if passage.source_id in self._standings:
                groups.setdefault(passage.document_id, []).append(passage)
        documents: dict[str, SourceDocument] = {}
        for group in groups.values():
            fresh = [passage for passage in group if (passage.document_id, passage.ordinal) not in self._names]
            known = [passage for passage in group if passage not in fresh]
            names = [self._names[passage.document_id, passage.ordinal] for passage in known]
            names += [self._shelve(fresh)] if fresh else []
            documents |= {name: self._entries[name].document for name in names}
        return tuple(documents.values())

    def _shelve(self, group: Sequence[RetrievedPassage]) -> str:
        name = f"d{len(self._entries) + 1}"
        ordered = tuple(sorted({passage.ordinal: passage for passage in group}.values(), key=lambda one: one.ordinal))
        standing = self._standings[ordered[0].source_id]
        published = ordered[0].published_at
        day = published.astimezone(UTC).date() if published else None
        document = SourceDocument(name, _text(ordered), standing.name, standing.reliability, day)
        self._entries[name] = Shelved(document, standing, ordered, standing.source_id in self._selected)
        for passage in ordered:
            self._names[passage.document_id, passage.ordinal] = name
        return name


def _text(ordered: Sequence[RetrievedPassage]) -> str:
    """What was found of one document; what was left out between is marked."""
    text = ordered[0].content
    for before, passage in pairwise(ordered):
        text += ("\n" if passage.ordinal == before.ordinal + 1 else GAP) + passage.content
    return text
