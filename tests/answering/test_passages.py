"""Titles that are read with the passages of their documents."""

from dataclasses import replace
from uuid import uuid4

from answering.passages import PassageTexts, RetrievedPassage, with_titles

HEADLINE = "Lyng paints its tower grey"
BELOW = RetrievedPassage(uuid4(), uuid4(), 2, 40, 70, "The painters were done by noon.", 0.5, HEADLINE, None, "page")


def _titles(*passages: RetrievedPassage) -> list[str]:
    read = with_titles(passages)
    assert read[: len(passages)] == passages
    assert all(passage.is_title for passage in read[len(passages) :])
    return [passage.content for passage in read[len(passages) :]]


def test_a_headline_is_read_once_behind_the_passages() -> None:
    assert _titles(BELOW, replace(BELOW, ordinal=3, content="They left.")) == [HEADLINE]
    contexts = PassageTexts.of(with_titles([BELOW])).contexts
    assert contexts == (HEADLINE, "")


def test_headlines_of_several_documents_are_read_in_the_order_of_their_passages() -> None:
    other = replace(BELOW, document_id=uuid4(), title="Brin has painted its tower")
    assert _titles(BELOW, other) == [HEADLINE, "Brin has painted its tower"]
    assert _titles(BELOW, other, replace(BELOW, ordinal=4)) == [HEADLINE, "Brin has painted its tower"]


def test_names_and_headlines_in_the_text_are_not_read_again() -> None:
    assert _titles(replace(BELOW, title="Tower of Lyng")) == []
    assert _titles(replace(BELOW, content=f"{HEADLINE}\nIt took a day.")) == []
    assert _titles() == []
