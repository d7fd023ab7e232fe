"""`credence eval`."""

from html.parser import HTMLParser
from pathlib import Path

import pytest

from registry.corpora.model import Corpus
from registry.queries import store as queries
from registry.queries.schemas import QueryInput
from registry.runtime import Runtime
from tests.api.cli.conftest import Credence
from tests.registry.world import TOWERS, TRUTH, honest, liar, question


async def _add_gold(runtime: Runtime, corpus: Corpus) -> None:
    async with runtime.database.begin() as session:
        for tower, colour in TRUTH.items():
            values = QueryInput(external_id=tower, text=question(tower), gold_answers=[colour])
            await queries.create(session, corpus, values)
        nobody = QueryInput(text="Who <b>built</b> it & why?", gold_answers=["Ada <Holt>"], active=False)
        await queries.create(session, corpus, nobody)


@pytest.fixture
def judged(credence: Credence) -> Credence:
    """Two honest sources and three that lie alike about half of the towers, and gold answers."""
    lies = liar("Aldra", "Brin", "Esk")
    credence.estimated({"one": honest(), "two": honest(), "three": honest(), "four": lies, "five": lies})
    credence.with_runtime(_add_gold)
    return credence


class _Tags(HTMLParser):
    """Notes which tags a page has, those that are closed at once aside, and whether each is closed in its turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        if tag != "meta":
            self.open.append(tag)
        assert not any(name.startswith("on") or name in {"src", "href"} for name, _ in attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not any(name in {"src", "href"} for name, _ in attrs), tag

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_person_gets_tables_and_a_page_of_its_own(judged: Credence, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    result = judged.done("eval", "--html", str(page)).out
    for word in ("selected", "majority", "gold_weights", "Four", "agrees", "7 queries", str(page.name)):
        assert word in result.replace("\n", "")
    html = page.read_text("utf-8")
    assert "Ada &lt;Holt&gt;" in html
    assert "<b>built" not in html
    tags = _Tags()
    tags.feed(html)
    assert tags.open == []
    assert tags.seen.count("svg") == 2
    assert tags.seen.count("table") == 3
    assert not {"script", "link", "img", "iframe"} & set(tags.seen)


def test_without_gold_or_estimation_it_says_what_to_do(credence: Credence, tmp_path: Path) -> None:
    credence.build({"one": honest()}, TOWERS)
    assert "credence estimate" in credence.refused("eval")
    credence.done("estimate")
    assert "gold_answers" in credence.refused("eval")
    assert "no folder" in credence.refused("eval", "--html", str(tmp_path / "missing" / "report.html"))
