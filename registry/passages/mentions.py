"""Whether the passages of a corpus name what a question is about."""

from collections.abc import Sequence

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from answering.questions.answer_type import FUNCTION_WORDS
from answering.questions.named_text import INITIALS
from answering.questions.names import question_names, written_names
from answering.text import tokenize
from registry.corpora.model import Corpus
from registry.passages.restriction import PassageFilter

# A text is known by any of its words. Words that the language of the corpus leaves out of its index, such as `us`,
# cannot be looked for and count as known.
KNOWN = text(
    """
    SELECT asked.text
    FROM unnest(CAST(:texts AS text[])) AS asked (text)
    CROSS JOIN LATERAL (
        SELECT coalesce(string_agg(quote_literal(lexeme), ' | '), '')\\:\\:tsquery AS query
        FROM unnest(to_tsvector(CAST(:language AS regconfig), asked.text))
    ) AS words
    WHERE numnode(words.query) = 0 OR EXISTS (
        SELECT 1 FROM passages
        WHERE lexemes @@ words.query AND source_id IN (
            SELECT id FROM sources WHERE corpus_id = :corpus_id AND status = 'active'
                AND (CAST(:only AS uuid[]) IS NULL OR id = ANY(CAST(:only AS uuid[])))
        )
    )
    """
)


async def unknown_names(session: AsyncSession, corpus: Corpus, question: str, where: PassageFilter) -> Sequence[str]:
    """The names in a question whose last word stands in no passage of an active source, nor in a title or heading.

    Of a question without a name the words that stand nowhere, where most of its words are such.

    Initials are not looked for: texts write them out.
    """
    if written := written_names(question):
        names = {
            name.text: _as_known(f"{name.text.split()[-1]} {name.words[-1]}")
            for name in written
            if INITIALS.fullmatch(name.text) is None
        }
    else:
        # What may be a name in small letters is unknown only if all of it is.
        names = {name.text: _as_known(name.text) for name in question_names(question)}
    words = {word: _as_known(word) for word in tokenize(question) if word not in FUNCTION_WORDS and not names}
    parameters = {
        "corpus_id": corpus.id,
        "only": None if where.source_ids is None else list(where.source_ids),
        "language": corpus.text_search,
        "texts": list({*names.values(), *words.values()}),
    }
    known = set(await session.scalars(KNOWN, parameters))
    missing = [name for name, text in names.items() if text not in known]
    unknown = [word for word, text in words.items() if text not in known]
    return missing or (unknown if 2 * len(unknown) > len(words) else ())


def _as_known(text: str) -> str:
    """As PostgreSQL takes a text."""
    return text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
