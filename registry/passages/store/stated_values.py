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
from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncSession

from answering.passages import RetrievedPassage
from answering.text import squad_normalise
from registry.corpora.model import Corpus
from registry.documents.value_schemas import StatedValueInput
from registry.passages.store.search import ALL_PASSAGES, PassageFilter, Vector
from registry.viewers.store import VISIBLE_DOCUMENTS

MAX_KEY_CHARACTERS = 200
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
INSERT = text(
    """
    INSERT INTO stated_values (corpus_id, source_id, document_id, ordinal, subject, subject_key, relation, value)
    SELECT :corpus_id, * FROM unnest(
        CAST(:source_id AS uuid[]), CAST(:document_id AS uuid[]), CAST(:ordinal AS int[]), CAST(:subject AS text[]),
        CAST(:subject_key AS text[]), CAST(:relation AS text[]), CAST(:value AS text[])
    )
    """
)


@dataclass(frozen=True, slots=True)
class FoundValue:
    """A value that a source states, and the passage of its document that states it."""

    value: str
    label: str
    """The label before the value in the passage of a table row."""
    passage: RetrievedPassage


def subject_key(subject: str) -> str:
    """The common key of the names of one subject: no case, punctuation or articles; long ones end in a hash."""
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
        (source_id, document_id, ordinal, value.subject, subject_key(value.subject), value.relation, value.value)
        for (source_id, document_id), values in stated.items()
        for ordinal, value in enumerate(values)
    ]
    if not rows:
        return set()
    names = ("source_id", "document_id", "ordinal", "subject", "subject_key", "relation", "value")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    await session.execute(INSERT, {"corpus_id": corpus.id, **columns})
    return {(key, relation) for _, _, _, _, key, relation, _ in rows}


async def find_values(
    session: AsyncSession,
    corpus: Corpus,
    asked: Mapping[str, Vector],
    source_ids: Collection[UUID] | None,
    where: PassageFilter = ALL_PASSAGES,
) -> dict[str, dict[UUID, FoundValue]]:
    """The values that sources state for questions that are queries made of stated values, by question and source.

    The questions are given with their embeddings; `where` restricts the documents.
    """
    known = (await session.scalars(KNOWN, {"corpus_id": corpus.id, "questions": list(asked)})).all()
    if not known:
        return {}
    conditions = {
        "published_from": ("document.published_at >= :published_from", where.published_from),
        "published_before": ("document.published_at < :published_before", where.published_before),
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
