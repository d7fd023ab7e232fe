"""Generations of queries in the database, and how far documents were searched."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Uuid, bindparam, exists, func, literal, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from uuid_utils.compat import uuid7

from registry.corpora.model import Corpus
from registry.documents.model import Document
from registry.estimations.model import ACTIVE_STATUSES, EstimationRun
from registry.passages.store.indexes import quote_lexeme
from registry.platform.database.base import Json
from registry.platform.database.paging import Page
from registry.platform.database.rows import get_row, page_of_rows
from registry.platform.enums import QueryOrigin, RunStatus, SourceStatus
from registry.platform.errors import Conflict
from registry.queries.model import Query
from registry.queries.store import derived_id
from registry.query_generations.model import QueryGeneration, SearchedDocument
from registry.query_generations.schemas import GenerationParameters
from registry.sources.model import Source
from registry.sources.store.estimates import current_run

# The documents of active sources with facts left: first those of which least was tried, of each source in turn, but of
# one the oftener the less a run knows it, by the width of its interval. Of one source they come in an order that the
# seed draws and identifiers of this database do not change.
_UNSEARCHED = text(
    """
    SELECT drawn.id, drawn.source_id, drawn.content_hash, drawn.tried FROM (
        SELECT documents.id, documents.source_id, documents.content_hash,
               greatest(coalesce(known.upper - known.lower, 1), 0.01) AS unknown,
               CASE WHEN searched.content_hash = documents.content_hash THEN searched.tried ELSE 0 END AS tried,
               md5(:seed || ' ' || sources.external_id || ' ' || documents.external_id) AS place
        FROM documents JOIN sources ON sources.id = documents.source_id
        LEFT JOIN searched_documents AS searched ON searched.document_id = documents.id
        LEFT JOIN estimation_sources AS known
            ON known.estimation_id = :run_id AND known.source_id = documents.source_id AND known.vote_count > 0
        WHERE sources.corpus_id = :corpus_id AND sources.status = 'active'
          AND (searched.document_id IS NULL OR searched.content_hash <> documents.content_hash
               OR NOT searched.exhausted)
    ) AS drawn
    ORDER BY tried, row_number() OVER (PARTITION BY source_id ORDER BY tried, place) / unknown, place
    """
).bindparams(bindparam("run_id", type_=Uuid))


# The share of the queries that two sources both answered on which they gave different answers, one more of each
# counted, so that few queries say little; of the newest queries, as a few hundred tell.
_CONTRADICTIONS = text(
    """
    WITH cast_votes AS MATERIALIZED (
        SELECT votes.query_id, votes.source_id, votes.answer_key FROM votes
        JOIN (
            SELECT query_id FROM estimation_queries WHERE estimation_id = :run_id
            ORDER BY query_id DESC LIMIT :queries
        ) AS newest USING (query_id)
        WHERE votes.estimation_id = :run_id AND votes.answer_key IS NOT NULL
    )
    SELECT first.source_id, second.source_id,
           (1 + count(*) FILTER (WHERE first.answer_key <> second.answer_key)) / (2.0 + count(*))
    FROM cast_votes AS first
    JOIN cast_votes AS second ON second.query_id = first.query_id AND second.source_id > first.source_id
    GROUP BY first.source_id, second.source_id
    """
)
_NEWEST_QUERIES = 500


# The index on the words serves the first condition; ranks are made of what it finds.
_RESEMBLING = text(
    """
    SELECT queries.text, queries.provenance
    FROM queries, to_tsquery('simple', :words) AS wanted
    WHERE to_tsvector('simple', queries.text) @@ wanted AND queries.corpus_id = :corpus_id
    ORDER BY ts_rank(to_tsvector('simple', queries.text), wanted) DESC, queries.id LIMIT :limit
    """
)


UNFINISHED = select(QueryGeneration.id).where(QueryGeneration.status.in_(ACTIVE_STATUSES))
FAILED = select(
    QueryGeneration.id,
    QueryGeneration.corpus_id,
    literal("queries from documents"),
    QueryGeneration.problem,
    QueryGeneration.finished_at,
).where(QueryGeneration.status == RunStatus.FAILED)


@dataclass(frozen=True, slots=True)
class Unsearched:
    """A document, and how many of its facts were tried."""

    id: UUID
    source_id: UUID
    content_hash: bytes
    tried: int


async def create(
    session: AsyncSession, corpus: Corpus, parameters: GenerationParameters, schedule_id: UUID | None = None
) -> QueryGeneration:
    """A queued generation; raises `Conflict` while the corpus has one that is not done."""
    generation = QueryGeneration(
        corpus_id=corpus.id, schedule_id=schedule_id, parameters=parameters.model_dump(mode="json")
    )
    try:
        async with session.begin_nested():
            session.add(generation)
    except IntegrityError as error:
        raise Conflict("Queries of this corpus are being generated already.") from error
    await session.refresh(generation)
    return generation


async def get(session: AsyncSession, corpus: Corpus, generation_id: UUID) -> QueryGeneration:
    """A generation of the corpus; raises `NotFound`."""
    return await get_row(session, QueryGeneration, corpus.id, generation_id)


async def page(session: AsyncSession, corpus: Corpus, *, cursor: str | None, limit: int) -> Page[QueryGeneration]:
    """The generations of the corpus, oldest first."""
    return await page_of_rows(session, QueryGeneration, corpus.id, cursor=cursor, limit=limit)


async def newest(session: AsyncSession, corpus: Corpus) -> QueryGeneration | None:
    rows = select(QueryGeneration).where(QueryGeneration.corpus_id == corpus.id).order_by(QueryGeneration.id.desc())
    return (await session.scalars(rows.limit(1))).first()


async def unsearched(session: AsyncSession, corpus: Corpus, seed: int) -> list[Unsearched]:
    """The documents with facts that were not tried, in the order in which to search them."""
    run = await current_run(session, corpus)
    parameters = {"corpus_id": corpus.id, "seed": str(seed), "run_id": run and run.id}
    rows = await session.execute(_UNSEARCHED, parameters)
    return [Unsearched(*row) for row in rows]


async def contradictions(session: AsyncSession, run: EstimationRun) -> dict[frozenset[UUID], float]:
    """The share of queries of the run that two sources answered differently, in (0, 1), for pairs that share one."""
    pairs = await session.execute(_CONTRADICTIONS, {"run_id": run.id, "queries": _NEWEST_QUERIES})
    return {frozenset((first, second)): float(share) for first, second, share in pairs}


async def remember(session: AsyncSession, documents: Sequence[tuple[Unsearched, int, bool]]) -> None:
    """Store how many facts of documents were tried, and whether these were all."""
    there = set(await session.scalars(select(Document.id).where(Document.id.in_([row[0].id for row in documents]))))
    rows = [
        {"document_id": document.id, "content_hash": document.content_hash, "tried": tried, "exhausted": exhausted}
        for document, tried, exhausted in documents
        if document.id in there
    ]
    if rows:
        statement = insert(SearchedDocument)
        replaced = {name: statement.excluded[name] for name in ("content_hash", "tried", "exhausted")}
        await session.execute(
            statement.on_conflict_do_update(index_elements=[SearchedDocument.document_id], set_=replaced), rows
        )


@dataclass(frozen=True, slots=True)
class FreshCorpus:
    """A corpus without an estimate and without queries other than questions that were asked, with documents that came
    after its last generation began."""

    corpus: Corpus
    first: datetime
    """Time at which the first of these documents was stored."""
    last: datetime
    """Time at which the last one was stored."""


async def fresh_corpora(session: AsyncSession) -> list[FreshCorpus]:
    """The corpora of which the setting allows that queries are written by itself, with sources enough for a query."""
    begun = (
        select(QueryGeneration.corpus_id, func.max(QueryGeneration.created_at).label("at"))
        .group_by(QueryGeneration.corpus_id)
        .subquery()
    )
    is_new = begun.c.at.is_(None) | (Document.updated_at > begun.c.at)
    stored = (
        select(Corpus, func.min(Document.updated_at).filter(is_new), func.max(Document.updated_at).filter(is_new))
        .join(Source, Source.corpus_id == Corpus.id)
        .join(Document, Document.source_id == Source.id)
        .outerjoin(begun, begun.c.corpus_id == Corpus.id)
        .where(Corpus.generate_queries, Source.status == SourceStatus.ACTIVE)
        .group_by(Corpus.id)
        .having(func.count(Source.id.distinct()) > GenerationParameters().min_sources, func.bool_or(is_new))
    )
    for hindrance in (
        exists().where(Query.corpus_id == Corpus.id, Query.origin != QueryOrigin.ASKED),
        exists().where(
            EstimationRun.corpus_id == Corpus.id, EstimationRun.status.in_((*ACTIVE_STATUSES, RunStatus.SUCCEEDED))
        ),
        exists().where(QueryGeneration.corpus_id == Corpus.id, QueryGeneration.status.in_(ACTIVE_STATUSES)),
    ):
        stored = stored.where(~hindrance)
    return [FreshCorpus(*row) for row in await session.execute(stored)]


async def publishers(session: AsyncSession, corpus: Corpus) -> int:
    """The number of active sources with documents."""
    of_source = exists().where(Document.source_id == Source.id)
    rows = select(func.count()).where(Source.corpus_id == corpus.id, Source.status == SourceStatus.ACTIVE, of_source)
    return await session.scalar(rows) or 0


async def texts(session: AsyncSession, corpus: Corpus) -> list[tuple[str, Json | None]]:
    """The texts of all queries of the corpus, and where they came from."""
    rows = select(Query.text, Query.provenance).where(Query.corpus_id == corpus.id).order_by(Query.id)
    return [(question, provenance) for question, provenance in await session.execute(rows)]


async def resembling(
    session: AsyncSession, corpus: Corpus, words: Collection[str], limit: int
) -> list[tuple[str, Json | None]]:
    """The texts of the queries of the corpus with the most of these words, and where the queries came from."""
    any_of_them = " | ".join(map(quote_lexeme, sorted(words)))
    rows = await session.execute(_RESEMBLING, {"corpus_id": corpus.id, "words": any_of_them, "limit": limit})
    return [(question, provenance) for question, provenance in rows]


async def add(
    session: AsyncSession, corpus: Corpus, question: str, origin: QueryOrigin, provenance: Json, *, active: bool
) -> bool:
    """Add a query; False, and nothing changes, if there is one of the same text."""
    statement = insert(Query).values(
        id=uuid7(),
        corpus_id=corpus.id,
        external_id=derived_id(question),
        text=question,
        origin=origin,
        provenance=provenance,
        active=active,
    )
    added = statement.on_conflict_do_nothing(index_elements=[Query.corpus_id, Query.external_id]).returning(Query.id)
    return (await session.execute(added)).first() is not None
