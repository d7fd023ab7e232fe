"""The configured reader as an agent of a debate: what it read once is not read again."""

from collections.abc import Sequence

from answering.errors import ModelUnavailable
from answering.readers import Reader, Reading
from registry.store.readings import CachedReader


class DocumentReader:
    """A reader in front of which the cache of readings stands."""

    def __init__(self, cached: CachedReader) -> None:
        self._cached = cached
        self.name = cached.reader.name
        self.prompt_hash = cached.reader.prompt_hash

    async def read(self, question: str, passages: Sequence[str]) -> Reading:
        """Raises the `ModelError` of a reading that could not be made."""
        (obtained,) = await self._cached.read_all(question, [tuple(passages)])
        if obtained.reading is None:
            raise obtained.error or ModelUnavailable("The reader gave no reading.")
        return obtained.reading

    async def aclose(self) -> None:
        """The reader belongs to the process."""


def as_reader(cached: CachedReader) -> Reader:
    """The same behind the port."""
    return DocumentReader(cached)
