"""A reader that misses nothing of the demo corpus: it knows what every document states, and reads no minds."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

from answering.equivalence import answer_key
from answering.questions.writing import written_questions
from api.demo.corpus import load_corpus
from registry.documents.extraction import extract
from tests.fakes.scripted_reader import ScriptedReader


def perfect_reader(name: str = "perfect") -> ScriptedReader:
    """Answers what the documents that the passages stand in state; abstains where they state nothing."""
    texts, stated, asked = _texts(), _stated(), _asked()

    def read(question: str, passages: Sequence[str]) -> str | None:
        answers = stated.get(asked.get(question, ""), {})
        body = (answers[document] for passage in passages for document in answers if passage in texts[document])
        return next(body, None)

    return ScriptedReader(read, name=name)


@cache
def _texts() -> Mapping[str, str]:
    """By document."""
    return {item.external_id: extract(item.content, item.media_type) for item in load_corpus().documents}


@cache
def _stated() -> Mapping[str, Mapping[str, str]]:
    """By query and document."""
    stated: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for statement in load_corpus().statements:
        stated[statement.query][statement.document] = statement.answer
    return stated


@cache
def _asked() -> Mapping[str, str]:
    """The query, or held-out question, that a question asks: in its own words, or in those that are written from a
    sentence whose answer is what the document states on it.
    """
    corpus = load_corpus()
    of_document: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for statement in corpus.statements:
        of_document[statement.document][answer_key(statement.answer)] = statement.query
    written = {
        question: query
        for document, keys in of_document.items()
        for question, fact in written_questions(_texts()[document])
        if (query := keys.get(answer_key(fact.answer))) is not None
    }
    return written | {query.text: query.external_id for query in (*corpus.queries, *corpus.questions)}
