"""Topics of runs, and the embeddings by which queries and questions are assigned to them.

The embedding of a query is expanded by those of the passages nearest to it (Rocchio's relevance feedback, 1971), which
tell what it is about better than its few words: on the `topics` world the right topic of 95 % of the questions instead
of 83 %.
"""

from collections.abc import Sequence
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector
from sqlalchemy import false, func, insert, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from estimator.result import Topics
from estimator.topics import topic_probabilities
from registry.corpora.model import Corpus
from registry.estimations.model import EstimationRun, RunCentroid, RunQuery
from registry.estimations.store.votes import LONG_TIMEOUT
from registry.estimations.topics.schemas import QuestionTopic, Topic
from registry.passages.store import Vector
from registry.queries.model import Query
from registry.viewers.model import Viewer
from registry.viewers.store import visible_queries

Vectors = NDArray[np.float32]

NEAREST_PASSAGES = 10
"""Half and double of it find the topic of as many questions (benchmarks/notes/topics.md)."""
PASSAGE_WEIGHT = 2.0
"""Weight of the mean of these passages, the query weighing 1 (benchmarks/notes/topics.md has 0.5 and 1)."""
LEAST_PROBABILITY = 0.6
"""Lowest probability of the topic of a question at which reliabilities by topic count; below it, those over all topics
do. Half of it is as good as none, with double no topic ever counts (benchmarks/notes/topics.md)."""
# Queries that one statement expands.
BATCH = 500

# Among the passages of the documents that the votes were read from. The text of an embedding is parsed once, not for
# every passage, which would take most of the time.
CONTEXTS_OF_QUERIES = text(
    f"""
    WITH queries AS MATERIALIZED (
        SELECT query_id, CAST(vector AS halfvec) AS vector, number
        FROM unnest(CAST(:queries AS uuid[]), CAST(:vectors AS text[]))
             WITH ORDINALITY AS given (query_id, vector, number)
    )
    SELECT queries.number, CAST(avg(near.embedding) AS text)
    FROM queries
    CROSS JOIN LATERAL (
        SELECT passages.embedding
        FROM votes
        CROSS JOIN LATERAL jsonb_array_elements_text(votes.document_ids) AS read (document_id)
        JOIN passages ON passages.source_id = votes.source_id AND passages.document_id = CAST(read.document_id AS uuid)
        WHERE votes.estimation_id = :run AND votes.query_id = queries.query_id
        ORDER BY passages.embedding <=> queries.vector LIMIT {NEAREST_PASSAGES}
    ) AS near
    GROUP BY queries.number
    """  # noqa: S608  (a constant of this module)
)
CONTEXT_OF_QUESTION = text(
    f"""
    SELECT CAST(avg(nearest.embedding) AS text)
    FROM (
        SELECT near.embedding
        FROM sources CROSS JOIN LATERAL (
            SELECT embedding, embedding <=> CAST(:vector AS halfvec) AS distance
            FROM passages WHERE source_id = sources.id ORDER BY distance LIMIT {NEAREST_PASSAGES}
        ) AS near
        WHERE sources.corpus_id = :corpus_id AND sources.status = 'active'
        ORDER BY near.distance LIMIT {NEAREST_PASSAGES}
    ) AS nearest
    """  # noqa: S608  (a constant of this module)
)


async def queries_with_topics(session: AsyncSession, run_id: UUID) -> Sequence[tuple[str, str | None, bool]]:
    """The texts of the queries of a run in the order of their ids, the topics that the caller gave them, and whether
    all who read the corpus may see them.
    """
    of_all = func.coalesce(*visible_queries(Viewer(frozenset())), false())
    rows = select(RunQuery.query_text, Query.topic, of_all).outerjoin(Query, Query.id == RunQuery.query_id)
    found = await session.execute(rows.where(RunQuery.estimation_id == run_id).order_by(RunQuery.query_id))
    return [(question, topic, is_for_all) for question, topic, is_for_all in found]


async def expanded(session: AsyncSession, run_id: UUID, query_ids: Sequence[UUID], vectors: Vectors) -> Vectors:
    """The embeddings (M, d) of the queries of a run, each combined with the passages nearest to it among those of the
    documents that its votes were read from.
    """
    await session.execute(text(LONG_TIMEOUT))
    contexts = np.zeros_like(vectors)
    for start in range(0, len(query_ids), BATCH):
        batch = slice(start, start + BATCH)
        texts = [HalfVector(vector).to_text() for vector in vectors[batch]]
        parameters = {"run": run_id, "queries": list(query_ids[batch]), "vectors": texts}
        for number, context in await session.execute(CONTEXTS_OF_QUERIES, parameters):
            contexts[start + number - 1] = _parsed(context)
    return _combined(vectors, contexts)


async def topic_of_question(
    session: AsyncSession, corpus: Corpus, run: EstimationRun | None, vector: Vector, name: str | None
) -> QuestionTopic | None:
    """The topic of a question among those of the run: the one of this name or label, else the most probable by the
    clusters of queries near it, which is used if it is probable enough; None where the run has no topics.
    """
    if run is None or not run.topics:
        return None
    topics = [Topic.model_validate(topic) for topic in run.topics]
    by_name = [
        index
        for index, topic in enumerate(topics)
        if name is not None and _folded(name) in map(_folded, (*topic.names, topic.label))
    ]
    if by_name:
        probabilities = np.eye(len(topics))[by_name[0]]
    else:
        clusters = await _similar_clusters(session, corpus, run, vector)
        if not clusters:
            return None
        similarity, size, share = map(np.array, zip(*clusters, strict=True))
        # A centroid of length 0 has no cosine.
        probabilities = topic_probabilities(np.nan_to_num(similarity)[None], share, size)[0]
    likeliest = int(np.argmax(probabilities))
    return QuestionTopic(
        **topics[likeliest].model_dump(),
        topic=likeliest,
        given=bool(by_name),
        used=bool(probabilities[likeliest] >= LEAST_PROBABILITY),
        probabilities=tuple(np.clip(probabilities, 0.0, 1.0).tolist()),
    )


async def write_centroids(session: AsyncSession, run: EstimationRun, topics: Topics) -> None:
    """Store the centroids of the clusters of queries of a run, and the probabilities of the topics in each."""
    rows = [
        {
            "estimation_id": run.id,
            "number": number,
            "query_count": int(topics.cluster_size[number]),
            "shares": topics.share[number].tolist(),
            "embedding": HalfVector(centroid),
        }
        for number, centroid in enumerate(() if topics.centroids is None else topics.centroids)
    ]
    if rows:
        await session.execute(insert(RunCentroid), rows)


async def _similar_clusters(
    session: AsyncSession, corpus: Corpus, run: EstimationRun, vector: Vector
) -> list[tuple[float, int, list[float]]]:
    """Every cluster of the run: cosine similarity to the question, number of queries, probabilities of topics."""
    parameters = {"corpus_id": corpus.id, "vector": HalfVector(vector).to_text()}
    context = await session.scalar(CONTEXT_OF_QUESTION, parameters)
    if context is not None:
        vector = _combined(vector[None], _parsed(context)[None])[0]
    similarity = 1 - RunCentroid.embedding.cosine_distance(HalfVector(vector))
    rows = (
        select(similarity, RunCentroid.query_count, RunCentroid.shares)
        # An embedder that was configured after the run may have another dimension.
        .where(RunCentroid.estimation_id == run.id, func.vector_dims(RunCentroid.embedding) == vector.size)
        .order_by(RunCentroid.number)
    )
    return [(float(near), count, shares) for near, count, shares in await session.execute(rows)]


def _combined(vectors: Vectors, contexts: Vectors) -> Vectors:
    total = vectors + PASSAGE_WEIGHT * contexts
    length = np.linalg.norm(total, axis=1, keepdims=True)
    combined: Vectors = np.divide(total, length, out=np.zeros_like(total), where=length > 0).astype(np.float32)
    return combined


def _parsed(vector: str) -> Vector:
    return np.asarray(HalfVector.from_text(vector).to_numpy(), dtype=np.float32)


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
