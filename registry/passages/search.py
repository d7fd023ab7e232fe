"""Search within sources.

Ranking is hybrid: full text (any word of the question) and embeddings, fused by reciprocal rank (Cormack, Clarke and
Buettcher 2009, doi:10.1145/1571941.1572114, k = 60). Passages with all words of the names in the question, in their
text, headings or title, come before all others, since those on a neighbour of what is asked resemble the question as
much. It is exact but within very large sources, where `vector_index` says that reading an approximate index is better.
"""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import TextClause
from sqlalchemy.ext.asyncio import AsyncSession

from answering.passages import RetrievedPassage
from registry.corpora.model import Corpus
from registry.passages import statements
from registry.passages.restriction import ALL_PASSAGES, PassageFilter, Vector, index_for, search_parameters
from registry.passages.vector_index import searching
from registry.passages.words import words_of

# Sources searched by one statement; more are searched by several, so that none takes long.
SOURCES_PER_STATEMENT = 500


async def top_passages(
    session: AsyncSession,
    corpus: Corpus,
    source_ids: Sequence[UUID],
    question: str,
    vector: Vector,
    k: int,
    where: PassageFilter = ALL_PASSAGES,
) -> dict[UUID, list[RetrievedPassage]]:
    """The best k passages of each source, best first; a source without passages has an empty list.

    `where` restricts the documents. One round trip searches `SOURCES_PER_STATEMENT` sources.
    """
    passages: dict[UUID, list[RetrievedPassage]] = {source_id: [] for source_id in source_ids}
    words = await words_of(session, corpus, question)
    parameters = search_parameters(words, vector, where) | {"k": k}
    index = await index_for(session, where)
    large = {source_id: lists for source_id in passages if (lists := index and index.probes_of_source(source_id))}

    async def search(statement: TextClause, asked: Sequence[UUID], **found: object) -> None:
        for row in await session.execute(statement, parameters | found | {"sources": asked}):
            passages[row.source_id].append(RetrievedPassage(*row))

    if large:
        nearest = statements.nearest_of_sources(len(vector))
        async with searching(session, max(large.values())):
            rows = (await session.execute(nearest, parameters | {"sources": list(large)})).all()
        columns = ("near_sources", "near_documents", "near_ordinals", "near_distances")
        found = {name: [row[at] for row in rows] for at, name in enumerate(columns)}
        await search(statements.top_passages_of_found(), list(large), **found)
    others = [source_id for source_id in passages if source_id not in large]
    for start in range(0, len(others), SOURCES_PER_STATEMENT):
        exactly = statements.top_passages(where.condition)
        await search(exactly, others[start : start + SOURCES_PER_STATEMENT])
    return passages
