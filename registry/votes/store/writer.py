"""Imported votes are written with COPY, and so are the queries that came with them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID
from zlib import crc32

from sqlalchemy import ARRAY, String, literal, select, text
from sqlalchemy.ext.asyncio import AsyncSession
from uuid_utils.compat import uuid7

from registry.corpora.model import Corpus
from registry.platform.database.engine import driver_connection
from registry.platform.enums import QueryOrigin
from registry.queries.model import Query
from registry.queries.store import derived_id
from registry.votes.schemas import VoteRow

# The longest text of which the external id of a query is made; longer ones get one that is derived.
MAX_EXTERNAL_ID = 200
# COPY cannot say what to do with a vote that is there: it fills a temporary table, from which INSERT takes them.
STAGED_COLUMNS = {
    "number": "int4",
    "id": "uuid",
    "query_id": "uuid",
    "source_id": "uuid",
    "answer": "text",
    "voted_at": "timestamptz",
    "confidence": "float8",
    "external_id": "text",
}
STAGED_TYPES = tuple(STAGED_COLUMNS.values())
# As of staged passages: with other columns it has another name.
STAGED = f"staged_votes_{crc32(repr(STAGED_COLUMNS).encode()):08x}"
STAGING = f"""
    CREATE TEMPORARY TABLE IF NOT EXISTS {STAGED} ({", ".join(" ".join(column) for column in STAGED_COLUMNS.items())})
    ON COMMIT DELETE ROWS
"""
COPY_STAGED = f"COPY {STAGED} FROM STDIN (FORMAT binary)"
UPSERT_STAGED = f"""
    WITH written AS (
        INSERT INTO imported_votes (id, corpus_id, query_id, source_id, answer, voted_at, confidence, external_id)
        SELECT id, %s, query_id, source_id, answer, voted_at, confidence, external_id
        FROM {STAGED}
        -- In one order everywhere, or two imports would wait for each other.
        ORDER BY query_id, source_id
        ON CONFLICT (query_id, source_id) DO UPDATE
        SET answer = excluded.answer, voted_at = excluded.voted_at, confidence = excluded.confidence,
            external_id = excluded.external_id, updated_at = now()
        WHERE (imported_votes.answer, imported_votes.voted_at, imported_votes.confidence, imported_votes.external_id)
            IS DISTINCT FROM (excluded.answer, excluded.voted_at, excluded.confidence, excluded.external_id)
        RETURNING id, query_id, source_id, xmax = 0 AS is_new
    )
    SELECT {STAGED}.number, CASE WHEN is_new THEN NULL ELSE written.id END
    FROM written JOIN {STAGED} USING (query_id, source_id)
"""  # noqa: S608  (our own words)
INSERT_QUERIES = text(
    f"""
    INSERT INTO queries (id, corpus_id, external_id, text, topic, attributes, origin)
    SELECT given.id, :corpus_id, given.external_id, given.text, given.topic, '{{}}', '{QueryOrigin.VOTES}'
    FROM unnest(CAST(:ids AS uuid[]), CAST(:external_ids AS text[]), CAST(:texts AS text[]), CAST(:topics AS text[]))
        AS given (id, external_id, text, topic)
    ON CONFLICT DO NOTHING
    """  # noqa: S608  (our own words)
)


class StagedVote(NamedTuple):
    """A vote to be written; `number` tells it from the others, and `id` is what it gets if it is new."""

    number: int
    id: UUID
    query_id: UUID
    source_id: UUID
    vote: VoteRow


async def upsert(session: AsyncSession, corpus: Corpus, votes: Iterable[StagedVote]) -> dict[int, UUID | None]:
    """Write votes, one of a source on a query. Returns, by their numbers, those that are new with None, and those that
    differ from what was there with its identifier.
    """
    connection = await driver_connection(session)
    async with connection.cursor() as cursor:
        await cursor.execute(STAGING)
        async with cursor.copy(COPY_STAGED) as copy:
            copy.set_types(STAGED_TYPES)
            for *ids, vote in votes:
                await copy.write_row((*ids, vote.answer, vote.at, vote.confidence, vote.external_id))
        await cursor.execute(UPSERT_STAGED, (corpus.id,))
        return dict(await cursor.fetchall())


def query_id_of(line: VoteRow) -> str:
    """The external id of the query that a line votes on.

    >>> query_id_of(VoteRow("model-a", "task 17", "yes"))
    'task 17'
    """
    return line.query if len(line.query) <= MAX_EXTERNAL_ID else derived_id(line.query)


async def find_or_create_queries(
    session: AsyncSession, corpus: Corpus, lines: Mapping[str, VoteRow], *, create: bool
) -> dict[str, UUID]:
    """The identifiers of the queries that lines vote on, both by their external ids; those that are missing are made,
    if `create` is set.
    """
    found = await _query_ids(session, corpus, lines)
    # In one order everywhere, or two imports would wait for each other.
    missing = sorted(lines.keys() - found.keys()) if create else []
    if missing:
        await session.execute(INSERT_QUERIES, _query_columns(corpus, missing, [lines[each] for each in missing]))
        found |= await _query_ids(session, corpus, missing)
    return found


def _query_columns(corpus: Corpus, external_ids: Sequence[str], lines: Sequence[VoteRow]) -> dict[str, object]:
    return {
        "corpus_id": corpus.id,
        "ids": [uuid7() for _ in lines],
        "external_ids": external_ids,
        "texts": [line.query for line in lines],
        "topics": [line.topic for line in lines],
    }


async def _query_ids(session: AsyncSession, corpus: Corpus, external_ids: Collection[str]) -> dict[str, UUID]:
    given = literal(list(external_ids), ARRAY(String))
    rows = select(Query.external_id, Query.id).where(Query.corpus_id == corpus.id, Query.external_id == given.any_())
    return dict((await session.execute(rows)).all())
