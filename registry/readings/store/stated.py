"""What sources state as data: the values of their documents, and imported votes.

A query is made of what two sources state of one subject and relation, or came with votes. Where its text is asked, what
a source states there is its answer: nothing of it is searched or read.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pgvector import HalfVector
from sqlalchemy import Row, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from answering.passages import RetrievedPassage
from registry.corpora.model import Corpus
from registry.passages.schemas import PassageFilter, Vector
from registry.queries.model import Query
from registry.viewers.model import Viewer
from registry.viewers.store import VISIBLE_DOCUMENTS
from registry.votes import store as votes
from registry.votes.model import ImportedVote

# Those of the questions that are queries made of stated values: most are not, and the next statement takes longer.
KNOWN = text(
    """
    SELECT DISTINCT queries.text FROM unnest(CAST(:questions AS text[])) AS asked (question)
    JOIN queries ON queries.text = asked.question AND queries.relation IS NOT NULL
    WHERE queries.corpus_id = :corpus_id
    """
)
# Of a source that states several values its newest document counts, and in that the first one.
FIND = """
    SELECT DISTINCT ON (asked.question, stated.source_id)
           asked.question, stated.source_id, stated.subject, stated.relation, stated.value,
           document.id AS document_id, passage.ordinal, passage.start_offset, passage.end_offset, passage.content,
           1 - (passage.embedding <=> CAST(asked.vector AS halfvec)) AS similarity,
           document.title, document.published_at, document.external_id, document.updated_at, document.url,
           document.revision
    FROM unnest(CAST(:questions AS text[]), CAST(:vectors AS text[])) AS asked (question, vector)
    JOIN queries ON queries.text = asked.question AND queries.relation IS NOT NULL
    JOIN stated_values AS stated ON stated.corpus_id = queries.corpus_id
        AND stated.subject_key = queries.subject_key AND stated.relation = queries.relation
    JOIN documents AS document ON document.source_id = stated.source_id AND document.id = stated.document_id
    CROSS JOIN LATERAL (
        SELECT * FROM passages
        WHERE source_id = stated.source_id AND passages.document_id = stated.document_id
        ORDER BY strpos(content, concat(stated.subject, '; ', stated.relation, ': ', stated.value)) = 0,
                 strpos(lower(content), lower(stated.value)) = 0, ordinal
        LIMIT 1
    ) AS passage
    WHERE queries.corpus_id = :corpus_id
        AND (CAST(:sources AS uuid[]) IS NULL OR stated.source_id = ANY(CAST(:sources AS uuid[])))
        {condition}
    ORDER BY asked.question, stated.source_id, document.published_at DESC NULLS LAST, document.updated_at DESC,
             document.id, stated.ordinal
"""


@dataclass(frozen=True, slots=True)
class FoundValue:
    """A value that a source states, and the passage of its document that states it."""

    value: str
    label: str
    """The label before the value in the passage of a table row."""
    passage: RetrievedPassage


async def find_values(
    session: AsyncSession,
    corpus: Corpus,
    asked: Mapping[str, Vector],
    source_ids: Collection[UUID] | None,
    where: PassageFilter,
) -> dict[str, dict[UUID, FoundValue]]:
    """The values that sources state for questions that are queries made of stated values, by question and source.

    The questions are given with their embeddings; `where` restricts the documents.
    """
    known = (await session.scalars(KNOWN, {"corpus_id": corpus.id, "questions": list(asked)})).all()
    if not known:
        return {}
    dated = "coalesce(document.published_at, :published_from)" if where.undated else "document.published_at"
    conditions = {
        "published_from": (f"{dated} >= :published_from", where.published_from),
        "published_before": (f"{dated} < :published_before", where.published_before),
        "stored_until": ("document.updated_at <= :stored_until", where.stored_until),
        "documents": (
            "document.external_id = ANY (CAST(:documents AS text[]))",
            None if where.documents is None else list(where.documents),
        ),
    }
    given: dict[str, object] = {name: value for name, (_, value) in conditions.items() if value is not None}
    condition = "".join(f" AND {conditions[name][0]}" for name in given)
    if not where.viewer.sees_all:
        condition += f" AND document.id IN ({VISIBLE_DOCUMENTS.format(source_id='stated.source_id')})"
        given |= {"groups": where.viewer.stored}
    parameters = {
        "corpus_id": corpus.id,
        "questions": list(known),
        "vectors": [HalfVector(asked[question]).to_text() for question in known],
        "sources": None if source_ids is None else list(source_ids),
    }
    found: dict[str, dict[UUID, FoundValue]] = {}
    for row in await session.execute(text(FIND.format(condition=condition)), parameters | given):
        found.setdefault(row.question, {})[row.source_id] = _found(row)
    return found


def _found(row: Row[Any]) -> FoundValue:
    passage = RetrievedPassage(
        row.source_id,
        row.document_id,
        row.ordinal,
        row.start_offset,
        row.end_offset,
        row.content,
        0.0,
        row.similarity,
        row.title,
        row.published_at,
        row.external_id,
        row.updated_at,
        row.url,
        revision=row.revision,
    )
    return FoundValue(row.value, f"{row.subject}; {row.relation}:", passage)


async def find_votes(
    session: AsyncSession,
    corpus: Corpus,
    texts: Collection[str],
    source_ids: Collection[UUID] | None,
    viewer: Viewer,
) -> dict[str, list[votes.Vote]]:
    rows = select(Query.id, Query.text).where(
        Query.corpus_id == corpus.id,
        Query.text.in_(texts),
        select(ImportedVote.id).where(ImportedVote.query_id == Query.id).exists(),
    )
    text_of = dict((await session.execute(rows)).all())
    found = await votes.of_queries(session, text_of, source_ids, viewer) if text_of else {}
    return {text_of[query_id]: of_query for query_id, of_query in found.items()}
