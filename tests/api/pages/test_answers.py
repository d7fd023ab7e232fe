"""Questions asked in the form, followed and shown; what sources and models wrote stays text."""

import csv
import io
from typing import Any

import pytest
from lxml import html
from sqlalchemy import select

from registry.answers import jobs as queued_answers
from registry.answers import service as answers
from registry.answers.model import AnswerRecord
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.keys.schemas import Scope
from registry.platform.database.base import Json
from registry.queries.model import Query
from registry.runtime import Runtime
from tests.api.pages.conftest import PAGES, Browser, secret_of
from tests.api.pages.test_sign_in import sign_in
from tests.api.pages.test_sources import HOSTILE, estimate
from tests.registry.world import TOWERS, build, honest, liar, question
from tests.tables import for_each

ASK = f"{PAGES}/answers"
DEBATE = {
    "strategy": "madam",
    "settings": {},
    "model": "model",
    "answers": [],
    "unsupported": [],
    "explanation": "Explained.",
    "stop_reason": "converged",
    "rounds": 1,
    "documents": [],
    "transcript": [
        {
            "round": 1,
            "agent": "agent 1",
            "kind": "ask",
            "status": "answered",
            "prompt": None,
            "prompt_hash": None,
            "said": "It is red.",
            "unreadable": [],
            "error": None,
            "model_calls": 1,
            "input_tokens": 1,
            "output_tokens": 1,
            "milliseconds": 1.0,
        }
    ],
    "usage": {"model_calls": 1, "input_tokens": 1, "output_tokens": 1, "milliseconds": 1.0},
}


@pytest.fixture
async def world(reading: Runtime, corpus: Corpus) -> Runtime:
    stated = {"herald": honest(), "gazette": honest(), "rumour": liar("Aldra", "Brin", "Corvo", "Delm"), "mute": {}}
    await build(reading, corpus, stated, TOWERS)
    await estimate(reading, corpus)
    return reading


async def newest(runtime: Runtime) -> AnswerRecord:
    async with runtime.database.begin() as session:
        newest_first = select(AnswerRecord).order_by(AnswerRecord.id.desc()).limit(1)
        return (await session.scalars(newest_first)).one()


async def ask(browser: Browser, runtime: Runtime, **fields: str) -> str:
    """Ask in the form, let a worker answer, and look at the page; returns its text."""
    await browser.get(ASK)
    await browser.send(ASK, 200, question=question("Aldra"), **fields)
    record = await newest(runtime)
    await queued_answers.run(runtime, record.id)
    return await browser.get(f"{ASK}/{record.id}")


async def test_an_answer_shows_what_made_it(browser: Browser, world: Runtime) -> None:
    text = await ask(browser, world)
    assert browser.page.xpath("string(//p[@class='answer'])") == "red"
    red, purple = positions(browser)
    for position, share in zip((red, purple), (await newest(world)).result["tally"], strict=True):  # type: ignore[index]
        assert position.xpath("string(h3)") == share["answer"]
        assert f"{100 * share['share']:.0f}\xa0% of the weight" in position.text_content()
        assert f"The tower of Aldra is painted {share['answer']}." in position.xpath(".//blockquote/mark/text()")
    assert "the answer" in red.text_content()
    assert "the answer" not in purple.text_content()
    assert len(red.xpath("ul[@class='givers']/li")) == 2
    assert all("Probably between" in label for label in red.xpath("ul//svg/@aria-label"))
    assert "Rumour" in purple.text_content()
    assert "Mute" in text
    assert "1 of 3 sources that answer, and so at least 1 document." in text
    link = next(link for link in browser.links() if "start=" in link)
    await browser.get(link.partition("#")[0])
    assert "painted" in browser.page.xpath("string(//mark)")
    assert f"{question('Aldra')} Answered: red" in await browser.get(ASK)


def positions(browser: Browser) -> list[html.HtmlElement]:
    return list(browser.page.xpath("//ul[@class='positions']/li"))


async def test_sources_that_count_as_one_are_shown_as_one_vote(browser: Browser, world: Runtime) -> None:
    await ask(browser, world)
    record = await newest(world)
    assert record.result is not None
    alike: list[tuple[Json, str]] = [
        ({"copy_group": 0}, "2 copies, one vote"),
        ({"joint_dissent": 0}, "2 sources that dissent together, one vote"),
        ({"copy_group": 0, "is_new": True}, "2 new sources, one vote"),
    ]
    for change, said in alike:
        sources = [source | change for source in record.result["selected_sources"]]
        async with world.database.begin() as session:
            (await session.get_one(AnswerRecord, record.id)).result = record.result | {"selected_sources": sources}
        await browser.get(f"{ASK}/{record.id}")
        (vote,) = positions(browser)[0].xpath("ul[@class='givers']/li")
        assert said in vote.text_content()
        assert len(vote.xpath("ul[@class='one-vote']/li")) == 2


async def test_answers_in_conflict_are_no_headlines(browser: Browser, world: Runtime, corpus: Corpus) -> None:
    record = await answers.ask(world, corpus, question("Aldra"), AnswerParameters(min_margin=0.99))
    text = await browser.get(f"{ASK}/{record.id}")
    assert "red is ahead" in text
    assert not browser.page.xpath("//p[@class='answer']")
    assert ["ahead" in position.text_content() for position in positions(browser)] == [True, False]


async def test_a_question_can_be_asked_again_with_other_parameters(browser: Browser, world: Runtime) -> None:
    await ask(browser, world, kappa="1", strategy="wmv", asked_at="2026-05-20")
    parameters = (await newest(world)).parameters
    assert (parameters["kappa"], parameters["asked_at"]) == (1, "2026-05-20T12:00:00Z")
    again = next(link for link in browser.links() if "question=" in link)
    await browser.get(again)
    assert browser.page.xpath("string(//textarea)").strip() == question("Aldra")
    await browser.send(ASK, strategy="wmv")
    table = [" ".join(row.text_content().split()) for row in browser.page.xpath("//*[@aria-label='Both answers']//tr")]
    assert [row.split()[0] for row in table[1:]] == ["now:", "before:"]
    assert "Answered: red" in table[2]


async def test_an_answer_can_be_copied_with_its_sources(browser: Browser, world: Runtime) -> None:
    await ask(browser, world)
    copied = " ".join(browser.page.xpath("string(//p[@class='text cited'])").split())
    assert copied.startswith(f"{question('Aldra')} red “By herald. The tower of Aldra is painted red.” Herald: Aldra")
    assert "purple" not in copied


async def test_the_form_offers_questions_and_what_the_service_can_do(browser: Browser, world: Runtime) -> None:
    await browser.get(ASK)
    assert question("Brin") in browser.text
    ready = next(link for link in browser.links() if "question=" in link)
    await browser.get(ready)
    assert browser.page.xpath("string(//textarea)").strip() in map(question, TOWERS)
    assert world.chat is None
    assert browser.page.xpath("//option[not(@disabled)]/@value") == ["wmv", "auto"]
    # A form from before the language model was taken away does not lose its question.
    assert "needs a language model" in await browser.send(ASK, question=question("Brin"), strategy="madam")
    assert browser.page.xpath("string(//textarea)").strip() == question("Brin")


@for_each(
    "fields",
    [{"question": " "}, {"question": "x" * 10_001}, {"kappa": "0"}, {"strategy": "magic"}, {"asked_at": "soon"}],
)
async def test_questions_are_checked(browser: Browser, fields: dict[str, str]) -> None:
    await browser.get(ASK)
    assert "not valid" in await browser.send(ASK, 422, **{"question": "Where?"} | fields)


async def test_a_key_that_only_reads_gets_no_form(stranger: Browser, world: Runtime, corpus: Corpus) -> None:
    await sign_in(stranger, await secret_of(world, corpus, Scope.READ))
    assert "scope ask" in await stranger.get(ASK)
    token = dict(stranger.page.forms[0].form_values())
    refused = await stranger.client.post(ASK, data=token | {"question": "Where?"})
    assert refused.status_code == 403


async def test_hostile_text_in_every_field(browser: Browser, world: Runtime) -> None:
    await ask(browser, world)
    record = await newest(world)
    assert record.result is not None
    fixed = {"outcome", "strategy", "decided_by", "reason", "abstention", "stop_reason", "status", "kind", "action"}
    fixed |= {"basis"}
    result = record.result | {"debate": DEBATE, "notes": ["note"], "decided_by": "debate"}
    for hostile in (*HOSTILE, "N" * 10_000):
        async with world.database.begin() as session:
            changed = await session.get_one(AnswerRecord, record.id)
            changed.question, changed.result = hostile, poisoned(result, hostile, fixed)
        for path in (f"{ASK}/{record.id}", ASK):
            await browser.get(path)
            assert not browser.page.xpath("//script[not(@src)] | //img | //@onerror | //@onmouseover | //@style")
            assert "\u202e" not in browser.text


def poisoned(value: Any, hostile: str, fixed: set[str]) -> Any:  # noqa: ANN401  (any JSON)
    """The value with every text replaced that is free: no identifier, time or member of a list."""
    if isinstance(value, dict):
        return {
            key: inner if key in fixed or key.endswith(("_id", "_ids", "_at")) else poisoned(inner, hostile, fixed)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [poisoned(inner, hostile, fixed) for inner in value]
    return hostile if isinstance(value, str) else value


async def test_the_right_answer_is_set_on_the_page_of_an_answer_and_undone(browser: Browser, world: Runtime) -> None:
    await ask(browser, world)
    gold = f"{ASK}/{(await newest(world)).id}/gold"
    assert browser.page.xpath("//datalist/option/@value") == ["red", "purple"]
    text = await browser.send(gold, answer="purple")
    assert "Set as right: purple." in text
    assert "before none, now purple." in text
    assert "Of the votes of the current run 1 is for it and" in text
    assert "Gain a right vote: Rumour" in text
    assert "Set as right: purple, red." in await browser.send(gold, answer="red")
    assert "Set as right: red." in await browser.send(gold, answer="red", replace="true")
    undo = next(form.action for form in browser.page.forms if form.action.endswith("/undo"))
    assert "Set as right: purple, red." in await browser.send(undo)
    async with world.database.begin() as session:
        (query,) = await session.scalars(select(Query).where(Query.gold_answers.is_not(None)))
    assert (query.text, query.gold_answers) == (question("Aldra"), ["purple", "red"])


async def test_a_question_follows_up_on_an_answer(browser: Browser, world: Runtime) -> None:
    await ask(browser, world)
    first = await newest(world)
    text = await browser.send(f"{ASK}/{first.id}/follow-up", question="And Brin?")
    second = await newest(world)
    assert (second.question, second.follows_id, second.typed) == (question("Brin"), first.id, "And Brin?")
    assert f"Follows up on {question('Aldra')}; you asked: “And Brin?”" in text
    assert f"{ASK}/{first.id}" in browser.links()


async def test_two_wordings_are_joined_and_parted_and_the_votes_counted_anew(browser: Browser, world: Runtime) -> None:
    await ask(browser, world)
    first = await newest(world)
    assert "Same answer as red" in positions(browser)[1].text_content()
    assert "waiting for a worker" in await browser.send(f"{ASK}/{first.id}/joins")
    joined = await newest(world)
    await queued_answers.run(world, joined.id)
    assert "purple = red by anonymous" in await browser.get(f"{ASK}/{joined.id}?beside={first.id}")
    assert len(positions(browser)) == 1
    undo = next(form.action for form in browser.page.forms if form.action.endswith("/undo"))
    await browser.send(undo)
    await queued_answers.run(world, (await newest(world)).id)
    await browser.get(f"{ASK}/{(await newest(world)).id}")
    assert len(positions(browser)) == 2


async def test_sources_with_two_votes_have_no_figure(browser: Browser, reading: Runtime, corpus: Corpus) -> None:
    stated = {"herald": honest(), "gazette": honest(), "brief": dict(list(honest().items())[:2])}
    await build(reading, corpus, stated, TOWERS)
    await estimate(reading, corpus)
    text = await ask(browser, reading)
    assert text.count("2 votes: too few") == 1
    assert len(browser.page.xpath("//ul[@class='givers']//circle")) == 2


async def test_questions_are_downloaded_as_no_formulas(browser: Browser, reading: Runtime, corpus: Corpus) -> None:
    questions = ["=1+1", "@SUM(A1)", "+1", "-1"]
    async with reading.database.begin() as session:
        session.add_all(AnswerRecord(corpus_id=corpus.id, question=question) for question in questions)
    await browser.get(f"{PAGES}/exports")
    (link,) = (each for each in browser.links() if "/exports/answers" in each and "csv" in each)
    downloaded = await browser.client.get(link)
    cells = [row["question"] for row in csv.DictReader(io.StringIO(downloaded.text))]
    assert cells == [f"'{question}" for question in questions]
