"""Whether the passages of a corpus name what a question is about."""

from collections.abc import Sequence

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from answering.questions.names import INITIALS, question_names
from registry.models import Corpus
from registry.store.passages.restriction import PassageFilter

# A name is known by any of its words, as it is spelt and without accents. Words that the language of the corpus leaves
# out of its index, such as `us`, cannot be looked for.
NAMED = text(
    """
    SELECT numnode(asked.query) = 0 OR EXISTS (
        SELECT 1 FROM passages
        WHERE lexemes @@ asked.query AND source_id IN (
            SELECT id FROM sources WHERE corpus_id = :corpus_id AND status = 'active'
                AND (CAST(:only AS uuid[]) IS NULL OR id = ANY(CAST(:only AS uuid[])))
        )
    )
    FROM (
        SELECT coalesce(string_agg(quote_literal(lexeme), ' | '), '')\\:\\:tsquery AS query
        FROM unnest(to_tsvector(CAST(:language AS regconfig), :name))
    ) AS asked
    """
)


async def unnamed(session: AsyncSession, corpus: Corpus, question: str, where: PassageFilter) -> Sequence[str]:
    """The names in a question of which no word stands in any passage of an active source, nor in a title or heading.

    Initials are not looked for: texts write them out.
    """
    only = None if where.source_ids is None else list(where.source_ids)
    names = [name for name in question_names(question) if INITIALS.fullmatch(name.text) is None]
    missing = []
    for name in names:
        words = " ".join((name.text, *name.words)).replace("\x00", " ")
        parameters = {"corpus_id": corpus.id, "only": only, "language": corpus.text_search, "name": words}
        if not await session.scalar(NAMED, parameters):
            missing.append(name.text)
    return missing
