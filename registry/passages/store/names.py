"""The names of a question that stand in no passage, and those that are two names."""

import re
from collections.abc import Collection, Sequence
from itertools import chain
from uuid import UUID

from sqlalchemy import TextClause, text
from sqlalchemy.ext.asyncio import AsyncSession

from answering.questions.answer_type import FUNCTION_WORDS
from answering.questions.named_text import INITIALS, Name
from answering.questions.names import question_names, written_names
from answering.text import tokenize
from answering.text.bigrams import with_bigrams
from registry.corpora.model import Corpus
from registry.viewers.model import Viewer
from registry.viewers.store import VISIBLE_DOCUMENTS

# Letters at the end of a word that change with its form.
_INFLECTED = 2

# A text is known by any of its words; of some is told whether passages write it small. Words that the language of the
# corpus leaves out of its index, such as `us`, cannot be looked for and count as known. A name that passages only write
# small, as the hamlet, is known where it stands beside another word of the question, or in very many passages.
KNOWN = """
    SELECT asked.text, coalesce(found.small, false) AS small
    FROM unnest(CAST(:texts AS text[]), CAST(:written AS text[]), CAST(:small AS text[]))
        AS asked (text, written, small)
    CROSS JOIN LATERAL (
        SELECT coalesce(string_agg(quote_literal(lexeme), ' | '), '')\\:\\:tsquery AS query
        FROM unnest(to_tsvector(CAST(:language AS regconfig), asked.text))
    ) AS words
    CROSS JOIN (
        SELECT coalesce(string_agg(quote_literal(lexeme), ' | '), '')\\:\\:tsquery AS query
        FROM unnest(to_tsvector(CAST(:language AS regconfig), :beside))
    ) AS beside
    CROSS JOIN LATERAL (
        SELECT bool_or(content ~ asked.small) AS small, count(*) = :most OR bool_or(
            asked.written = '' OR numnode(beside.query) = 0 OR lexemes @@ beside.query
            OR content ~ asked.written OR heading ~ asked.written
            OR EXISTS (SELECT 1 FROM documents WHERE id = document_id AND title ~ asked.written)
        ) AS known
        FROM (
            SELECT lexemes, content, heading, document_id FROM passages
            WHERE lexemes @@ words.query AND source_id IN (
                SELECT id FROM sources WHERE corpus_id = :corpus_id AND status = 'active'
                    AND (CAST(:only AS uuid[]) IS NULL OR id = ANY(CAST(:only AS uuid[])))
            ) {condition}
            LIMIT :most
        ) AS naming
    ) AS found
    WHERE numnode(words.query) = 0 OR found.known
"""

# Of the passages with one name of a pair at most half have both as one.
APART = """
    SELECT pair.first, pair.second
    FROM unnest(CAST(:firsts AS text[]), CAST(:seconds AS text[])) AS pair (first, second)
    WHERE NOT EXISTS (
        SELECT 1 FROM unnest(ARRAY[pair.first, pair.second]) AS name
        CROSS JOIN LATERAL (
            SELECT count(*) AS found,
                count(*) FILTER (
                    WHERE lexemes @@ phraseto_tsquery(
                        CAST(:language AS regconfig), pair.first || ' and ' || pair.second
                    )
                ) AS joined
            FROM (
                SELECT lexemes FROM passages
                WHERE lexemes @@ phraseto_tsquery(CAST(:language AS regconfig), name) AND source_id IN (
                    SELECT id FROM sources WHERE corpus_id = :corpus_id AND status = 'active'
                        AND (CAST(:only AS uuid[]) IS NULL OR id = ANY(CAST(:only AS uuid[])))
                ) {condition}
                LIMIT :most
            ) AS naming
        ) AS counted
        WHERE counted.found = 0 OR 2 * counted.joined > counted.found
    )
"""
# Passages with a name that are looked through.
MOST_NAMING = 200


async def unknown_names(
    session: AsyncSession, corpus: Corpus, question: str, source_ids: Collection[UUID] | None, viewer: Viewer
) -> Sequence[str]:
    """The names in a question whose last word stands in no passage of an active source, of these or all, that the
    viewer sees, nor in a title or heading; nor, of one word, what is written as a name there beside no other word of
    the question. Where passages write the last word small, as `airlines`, each word of the name has to stand in one: of
    10,078 names in answered questions of the reader's training sets this makes 48 unknown, nearly all misspelt.

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
    others = {name.text: [_as_known(word) for word in name.words[:-1]] for name in written if name.text in names}
    words = {word: _as_known(word) for word in tokenize(question) if word not in FUNCTION_WORDS and not names}
    named = {word for name in written for word in name.words}
    as_written = {names[name.text]: _capitalised(name) for name in written if not others.get(name.text, True)}
    small = {names[name]: rf"\m{re.escape(name.split()[-1].lower())}\M" for name, more in others.items() if more}
    texts = list({*names.values(), *words.values(), *chain.from_iterable(others.values())})
    query, parameters = _restricted(KNOWN, corpus, source_ids, viewer)
    parameters |= {
        "texts": texts,
        "written": [as_written.get(looked_for, "") for looked_for in texts],
        "small": [small.get(looked_for) for looked_for in texts],
        "most": MOST_NAMING,
        "beside": _as_known(" ".join(word for word in tokenize(question) if word not in named | FUNCTION_WORDS)),
    }
    written_small = {row.text: row.small for row in await session.execute(query, parameters)}
    known = written_small.keys()
    missing = [
        name
        for name, looked_for in names.items()
        if looked_for not in known or (written_small[looked_for] and not known >= set(others.get(name, ())))
    ]
    unknown = [word for word, looked_for in words.items() if looked_for not in known]
    return missing or (unknown if 2 * len(unknown) > len(words) else ())


def _capitalised(name: Name) -> str:
    """A pattern for the last word of a name as names are written; empty for one that may be written otherwise."""
    word = name.text.split()[-1]
    if not (word.isascii() and word.isalpha() and word.istitle() and len(word) > _INFLECTED):
        return ""
    stem = word[: max(len(word) - _INFLECTED, _INFLECTED)]
    return rf"\m({stem}|{stem.upper()})"


async def names_apart(
    session: AsyncSession,
    corpus: Corpus,
    pairs: Collection[tuple[str, str]],
    source_ids: Collection[UUID] | None,
    viewer: Viewer,
) -> frozenset[tuple[str, str]]:
    """The pairs of names that are two names: most passages of each do not join them with `and`."""
    query, parameters = _restricted(APART, corpus, source_ids, viewer)
    parameters |= {
        "firsts": [_as_known(first) for first, _ in pairs],
        "seconds": [_as_known(second) for _, second in pairs],
        "most": MOST_NAMING,
    }
    return frozenset((first, second) for first, second in await session.execute(query, parameters))


def _restricted(
    query: str, corpus: Corpus, source_ids: Collection[UUID] | None, viewer: Viewer
) -> tuple[TextClause, dict[str, object]]:
    """A query over the passages of the active sources, of these or all, that the viewer sees."""
    parameters: dict[str, object] = {
        "corpus_id": corpus.id,
        "only": None if source_ids is None else list(source_ids),
        "language": corpus.text_search,
    }
    if viewer.sees_all:
        return text(query.format(condition="")), parameters
    condition = f"AND document_id IN ({VISIBLE_DOCUMENTS.format(source_id='passages.source_id')})"
    return text(query.format(condition=condition)), parameters | {"groups": viewer.stored}


def _as_known(text: str) -> str:
    """The text as PostgreSQL accepts it, in the words that passages have."""
    return with_bigrams(text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8"))
