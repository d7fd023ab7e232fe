"""The demo corpus says what its manifest says it says, and is of the difficulty that the demo promises."""

import re
from collections.abc import Callable, Iterable
from html.parser import HTMLParser

import pytest

from answering.equivalence import answer_key
from api.demo.corpus import DemoDocument, DemoQuery, DemoStatement, load_corpus, true_reliability
from registry.documents.schemas import MediaType

CORPUS = load_corpus()
DOCUMENTS = {document.external_id: document for document in CORPUS.documents}
ASKED: tuple[DemoQuery, ...] = (*CORPUS.queries, *CORPUS.questions)
GOLD = {asked.external_id: asked.gold_answers for asked in ASKED}
TRUE = true_reliability()
COPIED = "whispering-gull"
COPIERS = ("velmarra-buzz", "island-feed")


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)


def _without_tags(content: str) -> str:
    parser = _Text()
    parser.feed(content)
    parser.close()
    return " ".join(parser.found)


def _without_marks(content: str) -> str:
    return re.sub(r"[*#]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", content))


_STRIP: dict[MediaType, Callable[[str], str]] = {
    MediaType.HTML: _without_tags,
    MediaType.MARKDOWN: _without_marks,
    MediaType.TEXT: str,
}


def _text(document: DemoDocument) -> str:
    return " ".join(_STRIP[document.media_type](document.content).split())


def _stands_in(answer: str, text: str) -> bool:
    return bool(re.search(rf"(?<!\w)(?<!\d[.,]){re.escape(answer)}(?!\w)(?![.,]\d)", text, re.IGNORECASE))


def _keys(statements: Iterable[DemoStatement]) -> dict[tuple[str, str], str]:
    return {(statement.source, statement.query): answer_key(statement.answer) for statement in statements}


STATED = _keys(CORPUS.statements)
GOLD_KEY = {asked: answer_key(answers[0]) for asked, answers in GOLD.items() if answers}


def test_every_statement_stands_in_its_document() -> None:
    absent = [
        statement
        for statement in CORPUS.statements
        if not _stands_in(statement.answer, _text(DOCUMENTS[statement.document]))
    ]

    assert not absent


def test_a_statement_is_right_exactly_if_it_is_a_gold_answer() -> None:
    misjudged = [
        statement
        for statement in CORPUS.statements
        if {statement.right}
        != {statement.answer.casefold() in map(str.casefold, GOLD[statement.query]), _is_gold_class(statement)}
    ]

    assert not misjudged


def _is_gold_class(statement: DemoStatement) -> bool:
    return answer_key(statement.answer) == GOLD_KEY[statement.query]


def test_no_gold_answer_stands_in_a_document_that_is_wrong() -> None:
    leaks = [
        statement
        for statement in CORPUS.statements
        if not statement.right
        and any(_stands_in(gold, _text(DOCUMENTS[statement.document])) for gold in GOLD[statement.query])
    ]

    assert not leaks


@pytest.mark.parametrize("copier", COPIERS)
def test_copiers_repeat_the_mistakes_of_the_source_they_copy_later(copier: str) -> None:
    mistakes = [statement for statement in CORPUS.statements if statement.source == copier and not statement.right]
    shared = [
        statement for statement in mistakes if STATED.get((COPIED, statement.query)) == answer_key(statement.answer)
    ]
    published = {
        (statement.source, statement.query): DOCUMENTS[statement.document].published_at
        for statement in CORPUS.statements
    }

    assert len(shared) / len(mistakes) > 0.8
    assert all(published[copier, statement.query] > published[COPIED, statement.query] for statement in shared)
    assert TRUE[copier] < 0.4
