"""Whom a debate may ask."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from answering.debates.protocol import SourceDocument
from answering.errors import MissingService
from answering.models.chat import Chat
from answering.readers.reader import Reader


class Searcher(Protocol):
    """Finds documents; the registry's search behind a port."""

    async def search(self, query: str, *, limit: int, selected_only: bool) -> Sequence[SourceDocument]:
        """At most `limit` documents, the best first, of the selected sources only or of all."""
        ...


@dataclass(frozen=True, slots=True)
class Services:
    """A chat model, a reader and a search; a debate that needs one that is None raises `MissingService`."""

    chat: Chat | None = None
    reader: Reader | None = None
    searcher: Searcher | None = None

    def the_chat(self) -> Chat:
        if self.chat is None:
            raise MissingService("A debate needs a language model, and none is configured.")
        return self.chat

    def the_reader(self) -> Reader:
        if self.reader is None:
            raise MissingService("This debate begins with a reader's readings, and no reader is configured.")
        return self.reader

    def the_searcher(self) -> Searcher:
        if self.searcher is None:
            raise MissingService("This debate searches for documents, and was given nothing to search in.")
        return self.searcher
