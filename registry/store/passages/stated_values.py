"""Values that documents state as data, and the passages that state them.

A query is made of what two sources state of one subject and relation. Where its text is asked, what a source states
there is its answer: nothing of it is searched or read.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pgvector import HalfVector
from sqlalchemy import Row, insert, text
from sqlalchemy.ext.asyncio import AsyncSession

from answering.passages import RetrievedPassage
from answering.text import squad_normalise
from registry.inputs.stated_values import StatedValueInput
from registry.models import Corpus, StatedValue
from registry.store.passages.restriction import ALL_PASSAGES, PassageFilter, Vector

MAX_KEY_CHARACTERS = 200
# Of a source that states several values its newest document counts, and in that the first one.
FIND = """
    SELECT DISTINCT ON (stated.source_id) stated.source_id, stated.subject, stated.relation, stated.value,
           document.id AS document_id, passage.ordinal, passage.start_offset, passage.end_offset, passage.content,
           1 - (passage.embedding <=> CAST(:vector AS halfvec)) AS similarity,
           document.title, document.published_at, document.external_id, document.updated_at, document.url
    FROM queries
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
    WHERE queries.corpus_id = :corpus_id AND queries.text = :question AND queries.relation IS NOT NULL
        AND (CAST(:sources AS uuid[]) IS NULL OR stated.source_id = ANY(CAST(:sources AS uuid[])))
        {condition}
    ORDER BY stated.source_id, document.published_at DESC NULLS LAST, document.updated_at DESC, document.id,
             stated.ordinal
"""


@dataclass(frozen=True, slots=True)
class FoundValue:
    """A value that a source states, and the passage of its document that states it."""

    value: str
    label: str
    """What stands before it in the passage of a row of a table."""
    passage: RetrievedPassage


def subject_key(subject: str) -> str:
    """What names of one subject have in common: no case, punctuation or articles; long ones end in a hash."""
    key = squad_normalise(subject) or subject.casefold()
    if len(key) <= MAX_KEY_CHARACTERS:
        return key
    return f"{key[: MAX_KEY_CHARACTERS - 33]}#{hashlib.sha256(key.encode()).hexdigest()[:32]}"


async def insert_values(
    session: AsyncSession, corpus: Corpus, stated: Mapping[tuple[UUID, UUID], Sequence[StatedValueInput]]
) -> set[tuple[str, str]]:
    """Insert the values of new or replaced documents, given by source and document; returns the keys of the subjects
    and the relations that they are about.
    """
    rows = [
        {
            "corpus_id": corpus.id,
            "source_id": source_id,
            "document_id": document_id,
            "ordinal": ordinal,
            "subject": value.subject,
            "subject_key": subject_key(value.subject),
            "relation": value.relation,
            "value": value.value,
        }
        for (source_id, document_id), values in stated.items()
        for ordinal, value in enumerate(values)
    ]
    if rows:
        await session.execute(insert(StatedValue), rows)
    return {(str(row["subject_key"]), str(row["relation"])) for row in rows}


async def find_values(
    session: AsyncSession,
    corpus: Corpus,
    question: str,
    vector: Vector,
    source_ids: Collection[UUID] | None,
    where: PassageFilter = ALL_PASSAGES,
) -> dict[UUID, FoundValue]:
    """By source, of these or all, what it states where the question is that of a query made of stated values; else
    nothing. `where` restricts the documents.
    """
    conditions = {
        "published_from": ("document.published_at >= :published_from", where.published_from),
        "published_before": ("document.published_at < :published_before", where.published_before),
        "stored_until": ("document.updated_at <= :stored_until", where.stored_until),
    }
    given = {name: value for name, (_, value) in conditions.items() if value is not None}
    condition = "".join(f" AND {conditions[name][0]}" for name in given)
    parameters = {
        "corpus_id": corpus.id,
        "question": question.strip(),
        "sources": None if source_ids is None else list(source_ids),
        "vector": HalfVector(vector).to_text(),
    }
    rows = await session.execute(text(FIND.format(condition=condition)), parameters | given)
    return {row.source_id: _found(row) for row in rows}


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
    )
    return FoundValue(row.value, f"{row.subject}; {row.relation}:", passage)
