"""A database for benchmarks of the service, with real schema and indexes, and invented words for its texts."""

import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from types import MappingProxyType

import numpy as np
import psycopg
from psycopg import sql
from sqlalchemy.engine import URL, make_url

from answering.embedders import Embedder
from answering.readers import Reader
from migrations import control
from registry.platform.database import embedded
from registry.platform.database.engine import libpq_url
from registry.platform.settings import Settings
from registry.runtime import Runtime, open_runtime

WORDS_A_PASSAGE = 60


@contextmanager
def temporary_server(settings: Mapping[str, str] = MappingProxyType({})) -> Iterator[tuple[URL, Path]]:
    """The URL and folder of an embedded server with the newest schema, removed at the end; `settings` of Postgres."""
    with tempfile.TemporaryDirectory(prefix="credence-benchmark-") as folder:
        path = Path(folder)
        if settings:
            with psycopg.connect(embedded.start(path), autocommit=True) as connection:
                for name, value in settings.items():
                    connection.execute(sql.SQL("ALTER SYSTEM SET {} = {}").format(sql.Identifier(name), value))
            embedded.stop(path)
        url = make_url(embedded.start(path)).set(drivername="postgresql+psycopg")
        try:
            control.upgrade(url)
            yield url, path
        finally:
            embedded.stop(path)


@asynccontextmanager
async def opened(
    url: URL, reader: Reader, embedder: Embedder | None = None, /, **settings: object
) -> AsyncIterator[Runtime]:
    """The runtime on that database."""
    values = {"database_url": libpq_url(url), **settings}
    async with open_runtime(
        Settings.model_validate(values), check_schema=control.check_schema, reader=reader, embedder=embedder
    ) as runtime:
        yield runtime


def vocabulary(size: int = 50_000) -> list[str]:
    """Pronounceable words that a stemmer keeps apart."""
    consonants, vowels = "bcdfghklmnprtvz", "aeiou"
    syllables = [consonant + vowel for consonant in consonants for vowel in vowels]
    base = len(syllables)
    return [
        syllables[word // base // base % base] + syllables[word // base % base] + syllables[word % base] + "k"
        for word in range(size)
    ]


def passage_texts(
    words: np.ndarray[tuple[int], np.dtype[np.str_]], count: int, generator: np.random.Generator
) -> list[str]:
    """Passages of `WORDS_A_PASSAGE` words with Zipf frequencies."""
    drawn = np.minimum(generator.zipf(1.15, (count, WORDS_A_PASSAGE)) - 1, len(words) - 1)
    return [" ".join(row) for row in words[drawn]]
