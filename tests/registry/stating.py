"""Documents that state values as data, sent as lines of an import."""

import json
from collections.abc import AsyncIterator, Mapping

from sqlalchemy import select

from registry.corpora.model import Corpus
from registry.documents import imports
from registry.documents.model import StatedValue
from registry.documents.schemas import LineResult
from registry.documents.value_schemas import NO_COLUMNS
from registry.queries.model import Query
from registry.runtime import Runtime

COLUMNS = {"subject": "country", "capital": "capital", "area": "area_km2"}
ROWS = [
    {"source": "atlas", "country": "Kenya", "capital": "Nairobi", "area_km2": "580,367"},
    {"source": "atlas", "country": "Chad", "capital": "N'Djamena", "area_km2": "1284000"},
    {"source": "almanac", "country": "KENYA", "capital": "nairobi"},
    {"source": "almanac", "country": "the Chad", "capital": "Abéché"},
    {"source": "gazetteer", "country": "Kenya", "capital": "Mombasa"},
    {"source": "gazetteer", "country": "Togo", "capital": "Lomé"},
]
KENYA, CHAD = "What is the capital of Kenya?", "What is the capital of Chad?"


async def sent(
    runtime: Runtime, corpus: Corpus, *rows: object, columns: Mapping[str, str] = COLUMNS
) -> list[LineResult]:
    """Import rows of many sources; with `NO_COLUMNS` they are documents."""

    async def lines() -> AsyncIterator[bytes]:
        for row in rows:
            yield row if isinstance(row, bytes) else json.dumps(row).encode()

    imported = imports.import_documents_of_sources(runtime, corpus, lines(), columns=columns)
    return [result async for result in imported]


async def documents(runtime: Runtime, corpus: Corpus, *rows: object) -> list[LineResult]:
    """Import documents of many sources."""
    return await sent(runtime, corpus, *rows, columns=NO_COLUMNS)


async def stated(runtime: Runtime) -> set[tuple[str, str, str]]:
    """All stated values: subject, relation and value."""
    async with runtime.database.begin() as session:
        rows = await session.execute(select(StatedValue.subject, StatedValue.relation, StatedValue.value))
        return {(subject, relation, value) for subject, relation, value in rows}


async def asked(runtime: Runtime) -> dict[str, str]:
    """The texts of all queries, by their external ids."""
    async with runtime.database.begin() as session:
        rows = await session.execute(select(Query.external_id, Query.text))
        return dict(rows.all())
