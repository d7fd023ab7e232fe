"""Queries in the database."""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, String, func, literal, or_, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased
from uuid_utils.compat import uuid7

from registry.corpora.model import Corpus
from registry.documents.schemas import LineStatus
from registry.platform.database.locks import lock_in_transaction
from registry.platform.database.paging import Page
from registry.platform.database.rows import get_row, lock_for_update, page_of_rows, parse_id
from registry.platform.enums import QueryOrigin
from registry.platform.errors import NotFound
from registry.platform.fields import is_storable
from registry.queries.model import Query
from registry.queries.schemas import QueryInput, QueryPatch
from registry.queries.store import gold
from registry.viewers.model import ALL_SEEING, Viewer
from registry.viewers.store import visible_queries

# Sources that state a value of the same subject and relation, from which on there is a query about them.
MIN_STATING = 2
# Of these subjects and relations those that enough sources state, with the name of the subject that came first.
STATED_ENOUGH = text(
    """
    SELECT stated.subject_key, stated.relation,
           (array_agg(stated.subject ORDER BY stated.document_id, stated.ordinal))[1] AS subject
    FROM unnest(CAST(:keys AS text[]), CAST(:relations AS text[])) AS given (subject_key, relation)
    JOIN stated_values AS stated ON stated.corpus_id = :corpus_id
        AND stated.subject_key = given.subject_key AND stated.relation = given.relation
    GROUP BY stated.subject_key, stated.relation HAVING count(DISTINCT stated.source_id) >= :least
    ORDER BY stated.subject_key, stated.relation
    """
)


async def create(
    session: AsyncSession, corpus: Corpus, values: QueryInput, *, keep_verdicts: bool = False
) -> tuple[Query, bool]:
    """A new query, or the one with that external id, updated as `upsert` does; and whether it is new."""
    query, status = await upsert(session, corpus, uuid7(), values, keep_verdicts=keep_verdicts)
    return query, status is LineStatus.CREATED


async def upsert(
    session: AsyncSession, corpus: Corpus, new_id: UUID, values: QueryInput, *, keep_verdicts: bool = False
) -> tuple[Query, LineStatus]:
    """Insert a query as `new_id`, or update the one with its external id where it differs.

    A query without an external id gets one that is derived from its text. The same text again is then the same query,
    of which the fields that were not sent stay as they are. Gold answers that were not sent stay in any case: a person
    may have set them. With `keep_verdicts` it keeps those that it has even if others were sent, and its `active`.
    """
    external_id = values.external_id or derived_id(values.text)
    fields = values.model_dump(exclude={"external_id"})
    statement = insert(Query).values(id=new_id, corpus_id=corpus.id, external_id=external_id, **fields)
    not_sent = fields.keys() - values.model_fields_set
    replaced_fields = fields.keys() - (not_sent & {"gold_answers"} if values.external_id else not_sent)
    excluded: dict[str, ColumnElement[Any]] = {name: statement.excluded[name] for name in replaced_fields}
    if keep_verdicts:
        excluded.pop("active", None)
        if "gold_answers" in excluded:
            excluded["gold_answers"] = func.coalesce(Query.gold_answers, excluded["gold_answers"])
    # An equal query is not written, and then RETURNING has no row.
    statement = statement.on_conflict_do_update(
        index_elements=[Query.corpus_id, Query.external_id],
        set_=excluded | {"updated_at": func.now()},
        where=or_(*(getattr(Query, name).is_distinct_from(value) for name, value in excluded.items())),
    )
    former = aliased(Query)
    # A query within the statement reads the row as it was before.
    replaced = select(former.gold_answers).where(former.corpus_id == corpus.id, former.external_id == external_id)
    written = statement.returning(Query, text("xmax = 0"), replaced.scalar_subquery())
    row = (await session.execute(written, execution_options={"populate_existing": True})).one_or_none()
    if row is not None:
        gold.record(session, corpus, row[0].id, row[2], row[0].gold_answers)
        return row[0], LineStatus.CREATED if row[1] else LineStatus.UPDATED
    unchanged = select(Query).where(Query.corpus_id == corpus.id, Query.external_id == external_id)
    return (await session.scalars(unchanged)).one(), LineStatus.UNCHANGED


def derived_id(text: str) -> str:
    """The external id of a query that came without one, the same for texts that differ in white space only."""
    return f"q-{hashlib.sha256(' '.join(text.split()).encode()).hexdigest()[:16]}"


async def add_stated(session: AsyncSession, corpus: Corpus, about: Collection[tuple[str, str]]) -> None:
    """Add the queries about these subjects, given by their keys, and relations that enough sources state; one that is
    there, also one that was sent with its external id, stays as it is.
    """
    # Of two imports that each bring one of two sources the second one sees what the first one committed.
    await lock_in_transaction(session, f"stated values:{corpus.id}")
    keys, relations = [key for key, _ in about], [relation for _, relation in about]
    parameters = {"corpus_id": corpus.id, "keys": keys, "relations": relations, "least": MIN_STATING}
    rows = [
        {
            "id": uuid7(),
            "corpus_id": corpus.id,
            "external_id": f"stated:{relation}:{key}",
            "text": stated_question(subject, relation),
            "subject_key": key,
            "relation": relation,
            "origin": QueryOrigin.STATED,
        }
        for key, relation, subject in await session.execute(STATED_ENOUGH, parameters)
    ]
    if rows:
        statement = insert(Query)
        taken = statement.on_conflict_do_update(
            index_elements=[Query.corpus_id, Query.external_id],
            set_={name: statement.excluded[name] for name in ("subject_key", "relation")},
            where=Query.relation.is_(None),
        )
        await session.execute(taken, rows)


def stated_question(subject: str, relation: str) -> str:
    """The text of the query about a relation of a subject.

    >>> stated_question("Kenya", "capital")
    'What is the capital of Kenya?'
    """
    return f"What is the {' '.join(relation.replace('_', ' ').split())} of {' '.join(subject.split())}?"


def policy_of(corpus: Corpus) -> ColumnElement[str]:
    """The policy of answers of each query of the corpus: its own, else that of the corpus."""
    return func.coalesce(Query.answers, literal(corpus.answers, String))


async def get(session: AsyncSession, corpus: Corpus, query_id: UUID, viewer: Viewer = ALL_SEEING) -> Query:
    """A query of the corpus; raises `NotFound`."""
    return await get_row(session, Query, corpus.id, query_id, *visible_queries(viewer))


async def find(session: AsyncSession, corpus: Corpus, reference: str, viewer: Viewer = ALL_SEEING) -> Query:
    """The query with that external id, else with that id; raises `NotFound`."""
    row_id = parse_id(reference)
    meant = (
        Query.external_id == reference if row_id is None else or_(Query.external_id == reference, Query.id == row_id)
    )
    rows = select(Query).where(Query.corpus_id == corpus.id, meant, *visible_queries(viewer))
    rows = rows.order_by(Query.external_id != reference)
    query = (await session.scalars(rows.limit(1))).one_or_none() if is_storable(reference) else None
    if query is None:
        raise NotFound("query", reference)
    return query


async def with_text(session: AsyncSession, corpus: Corpus, asked: str, viewer: Viewer = ALL_SEEING) -> Query | None:
    """The first query with that text, if there is one."""
    rows = select(Query).where(Query.corpus_id == corpus.id, Query.text == asked, *visible_queries(viewer))
    return (await session.scalars(rows.order_by(Query.id).limit(1))).one_or_none()


async def with_gold(session: AsyncSession, corpus: Corpus) -> Sequence[Query]:
    rows = select(Query).where(Query.corpus_id == corpus.id, Query.gold_answers.is_not(None))
    return (await session.scalars(rows.order_by(Query.id))).all()


async def asked_count(session: AsyncSession, corpus: Corpus) -> int:
    """The number of queries that questions became."""
    rows = select(func.count()).where(Query.corpus_id == corpus.id, Query.origin == QueryOrigin.ASKED)
    return (await session.scalars(rows)).one()


async def gold_count(session: AsyncSession, corpus: Corpus) -> int:
    """The number of queries with gold answers."""
    rows = select(func.count()).where(Query.corpus_id == corpus.id, Query.gold_answers.is_not(None))
    return (await session.scalars(rows)).one()


async def present_texts(session: AsyncSession, corpus: Corpus, texts: Iterable[str]) -> set[str]:
    rows = select(Query.text).where(Query.corpus_id == corpus.id, Query.text.in_(set(texts)))
    return set(await session.scalars(rows))


async def page(
    session: AsyncSession,
    corpus: Corpus,
    *,
    cursor: str | None,
    limit: int,
    active: bool | None = None,
    origin: QueryOrigin | None = None,
    viewer: Viewer = ALL_SEEING,
) -> Page[Query]:
    """The queries of the corpus, oldest first."""
    where: list[ColumnElement[bool]] = [*visible_queries(viewer)]
    if active is not None:
        where.append(Query.active.is_(active))
    if origin is not None:
        where.append(Query.origin == origin)
    return await page_of_rows(session, Query, corpus.id, *where, cursor=cursor, limit=limit)


async def update(session: AsyncSession, corpus: Corpus, query_id: UUID, patch: QueryPatch) -> Query:
    """Change a query; past estimations keep the text that they read."""
    query = await get(session, corpus, query_id)
    await lock_for_update(session, query, "query", query_id, also=("gold_answers",))
    former = query.gold_answers
    for field, value in patch.model_dump(exclude_unset=True).items():
        if value is not None or field in {"gold_answers", "topic", "answers"}:
            setattr(query, field, value)
    await session.flush()
    await session.refresh(query)
    gold.record(session, corpus, query_id, former, query.gold_answers)
    return query


async def delete(session: AsyncSession, corpus: Corpus, query_id: UUID) -> None:
    """Delete a query; past estimations keep its text and votes."""
    query = await get(session, corpus, query_id)
    await lock_for_update(session, query, "query", query_id)
    await session.delete(query)
    gold.record_deletion(session, corpus, query)
    await session.flush()
