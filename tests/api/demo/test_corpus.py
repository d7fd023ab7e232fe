"""The demo corpus says what its manifest says, is as difficult as promised, and the README shows what is printed."""

import re
from collections.abc import Callable, Iterable
from html.parser import HTMLParser

import pytest
from rich.console import Console

from answering.equivalence import answer_key
from api.cli.reports.demo import print_audit
from api.demo.audit import Audit
from api.demo.corpus import DemoDocument, DemoQuery, DemoStatement, load_corpus, true_reliability
from api.demo.excerpt import README, excerpt
from registry.documents.schemas import MediaType
from registry.estimations.model import EstimationRun

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


SEA, PLACES, PEOPLE = TOPICS = ("harbour and sea", "nature and places", "people and history")


def test_nothing_is_printed_of_topics_where_there_is_one() -> None:
    console = Console(record=True)
    run = EstimationRun(votes_total=0, readings_made=0, readings_cached=0, copy_groups=[])
    audit = Audit(run=run, topics=(), sources=(), queries=0, answered_right=0, conflicting=0, majority_right=0)

    print_audit(console, audit, is_new=True)

    assert "Estimates against the truth" in console.export_text()
    assert "topics apart" not in console.export_text()


OUTPUT = """Reader: compact
Sources differ by topic (2 topics, named by words of their queries): places (45 queries).
Estimates against the truth: correlation 0.98, largest difference 0.28. Of 64 queries
the weighted vote gets 59 right, a majority vote 52.

A question most sources agree on: Which strait?
Gannet Sound

A question most sources get wrong: Who designed the Skerrow Lighthouse?
Hélène Marchetti

A question no document answers: Who?
"""


def test_the_excerpt_has_the_topics_the_comparison_and_the_second_question() -> None:
    assert excerpt(OUTPUT) == (
        "Sources differ by topic (2 topics, named by words of their queries): places (45 queries).\n"
        "Estimates against the truth: correlation 0.98, largest difference 0.28. Of 64 queries\n"
        "the weighted vote gets 59 right, a majority vote 52.\n\n"
        "A question most sources get wrong: Who designed the Skerrow Lighthouse?\nHélène Marchetti\n"
    )


def test_other_output_is_refused() -> None:
    with pytest.raises(ValueError, match="demo"):
        excerpt("Traceback")


def test_the_readme_shows_an_excerpt() -> None:
    assert "Estimates against the truth: correlation" in README.read_text(encoding="utf-8")
