"""Imported votes are written with COPY, and so are the queries that came with them."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, TypeAlias
from uuid import UUID
from zlib import crc32

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession
from uuid_utils.compat import uuid7

from registry.corpora.model import Corpus
from registry.platform.database.engine import driver_connection
from registry.platform.enums import AnswerPolicy, QueryOrigin
from registry.queries.store import derived_id
from registry.votes.schemas import VoteRow

VoteKey: TypeAlias = tuple[UUID, UUID]
"""Identifiers of a query and of a source that votes on it."""

# The longest text of which the external id of a query is made; longer ones get one that is derived.
MAX_EXTERNAL_ID = 200
# COPY cannot say what to do with a vote that is there: it fills a temporary table, from which INSERT takes them.
STAGED_COLUMNS = {
    "adds": "boolean",
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
# A staged vote that adds to what the source lists already brings only what is not there, each on a line of its own.
ANSWER = f"""
    CASE WHEN excluded.id IN (SELECT id FROM {STAGED} WHERE adds) THEN
        imported_votes.answer || coalesce((
            SELECT string_agg(E'\\n' || line, '' ORDER BY number)
            FROM unnest(string_to_array(excluded.answer, E'\\n')) WITH ORDINALITY AS listed (line, number)
            WHERE line <> ALL (string_to_array(imported_votes.answer, E'\\n'))
        ), '')
    ELSE excluded.answer END
"""  # noqa: S608  (our own words)
# Of a new vote only the identifier comes back, which is then the one that was given.
UPSERT_STAGED = f"""
    INSERT INTO imported_votes (id, corpus_id, query_id, source_id, answer, voted_at, confidence, external_id)
    SELECT id, %s, query_id, source_id, answer, voted_at, confidence, external_id
    FROM {STAGED}
    -- In one order everywhere, or two imports would wait for each other.
    ORDER BY query_id, source_id
    ON CONFLICT (query_id, source_id) DO UPDATE
    SET answer = {ANSWER}, voted_at = excluded.voted_at, confidence = excluded.confidence,
        external_id = excluded.external_id, updated_at = now()
    WHERE (imported_votes.answer, imported_votes.voted_at, imported_votes.confidence, imported_votes.external_id)
        IS DISTINCT FROM ({ANSWER}, excluded.voted_at, excluded.confidence, excluded.external_id)
    RETURNING id, CASE WHEN xmax <> 0 THEN query_id END, CASE WHEN xmax <> 0 THEN source_id END
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
# LIMIT makes it a look-up for each: with no statistics of a growing table, Postgres reads all queries of the corpus.
FIND_QUERIES = text(
    """
    SELECT found.external_id, found.id, found.answers
    FROM unnest(CAST(:external_ids AS text[])) AS given (external_id) CROSS JOIN LATERAL (
        SELECT external_id, id, answers FROM queries
        WHERE corpus_id = :corpus_id AND external_id = given.external_id
        LIMIT 1
    ) AS found
    """
)


class VotedOn(NamedTuple):
    """A query as votes on it are stored."""

    id: UUID
    policy: AnswerPolicy


class StagedVote(NamedTuple):
    """A vote to be written."""

    new_id: UUID
    """The identifier that it gets if it is new."""
    vote: VoteRow
    answer: str
    """Its text; of several answers one a line."""
    adds: bool = False
    """Whether its answers are added to those that are there, instead of replacing them."""


class Written(NamedTuple):
    """The votes that were written, without those that were already stored."""

    new: set[UUID]
    """Identifiers of the new ones."""
    changed: dict[VoteKey, UUID]
    """Identifiers of those that differ from what was there."""


async def upsert(session: AsyncSession, corpus: Corpus, votes: Mapping[VoteKey, StagedVote]) -> Written:
    """Write votes by query and source."""
    connection, written = await driver_connection(session), Written(set(), {})
    async with connection.cursor(binary=True) as cursor:
        await cursor.execute(STAGING)
        async with cursor.copy(COPY_STAGED) as copy:
            copy.set_types(STAGED_TYPES)
            for key, (new_id, vote, answer, adds) in votes.items():
                await copy.write_row((adds, new_id, *key, answer, vote.at, vote.confidence, vote.external_id))
        await cursor.execute(UPSERT_STAGED, (corpus.id,))
        for vote_id, query_id, source_id in await cursor.fetchall():
            if query_id is None:
                written.new.add(vote_id)
            else:
                written.changed[query_id, source_id] = vote_id
    return written


def query_id_of(line: VoteRow) -> str:
    """The external id of the query that a line votes on.

    >>> query_id_of(VoteRow("model-a", "task 17", "yes"))
    'task 17'
    """
    return line.query if len(line.query) <= MAX_EXTERNAL_ID else derived_id(line.query)


async def find_or_create_queries(
    session: AsyncSession, corpus: Corpus, lines: Mapping[str, VoteRow], *, create: bool
) -> dict[str, VotedOn]:
    """The queries that lines vote on, both by external ids; those that are missing are made, if `create` is set."""
    found = await _voted_on(session, corpus, lines)
    # In one order everywhere, or two imports would wait for each other.
    missing = sorted(lines.keys() - found.keys()) if create else []
    if missing:
        await session.execute(INSERT_QUERIES, _query_columns(corpus, missing, [lines[each] for each in missing]))
        found |= await _voted_on(session, corpus, missing)
    return found


def _query_columns(corpus: Corpus, external_ids: Sequence[str], lines: Sequence[VoteRow]) -> dict[str, object]:
    return {
        "corpus_id": corpus.id,
        "ids": [uuid7() for _ in lines],
        "external_ids": external_ids,
        "texts": [line.query for line in lines],
        "topics": [line.topic for line in lines],
    }


async def _voted_on(session: AsyncSession, corpus: Corpus, external_ids: Collection[str]) -> dict[str, VotedOn]:
    given = {"corpus_id": corpus.id, "external_ids": list(external_ids)}
    found = await session.execute(FIND_QUERIES, given)
    return {name: VotedOn(query_id, AnswerPolicy(answers or corpus.answers)) for name, query_id, answers in found}
