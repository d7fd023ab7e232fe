"""The first visit: the demo, uploads, feeds and questions in a browser, until the corpus can be estimated."""

import json
from dataclasses import replace
from pathlib import Path

from sqlalchemy import select, update

from api.app import create_app
from api.pages import uploads
from registry.answers.model import AnswerRecord
from registry.connectors import service as connectors
from registry.connectors.kinds import CONNECTORS as CONNECTOR_KINDS
from registry.connectors.model import Connector
from registry.corpora.model import Corpus
from registry.documents.model import Document
from registry.keys.schemas import Scope
from registry.platform.enums import RunStatus
from registry.platform.settings import Settings
from registry.queries.model import Query
from registry.runtime import Runtime
from tests.api.pages.conftest import PAGES, Browser, browser_of, secret_of
from tests.api.pages.test_sign_in import sign_in
from tests.api.pages.test_sources import HOSTILE
from tests.registry.connectors.kinds.test_folder import pdf

ADD = f"{PAGES}/documents"
UPLOAD = f"{PAGES}/documents:import"
QUESTIONS = f"{PAGES}/queries"
CONNECTORS = f"{PAGES}/connectors"
SITEMAP = "https://herald.invalid/sitemap.xml"


def line(source: str, content: str = "The tower of Aldra is painted red.") -> bytes:
    return json.dumps({"source": source, "external_id": "1", "content": content}).encode() + b"\n"


async def test_from_an_empty_corpus_to_a_run(browser: Browser, reading: Runtime) -> None:
    text = await browser.get(f"{PAGES}/sources")
    assert "no sources yet" in text
    assert "Documents of several sources next" in text
    assert {form.action for form in browser.page.forms} == {"/demo", UPLOAD, CONNECTORS, QUESTIONS}
    lines = b"".join([*map(line, HOSTILE), b"{broken\n", line("Herald", " ")])
    text = await browser.upload(UPLOAD, 422, ("towers.jsonl", lines))
    assert "9 documents read: 7 created, 2 rejected" in text
    assert "Line 8: line: Invalid JSON" in text
    assert "Line 9: content: must not be blank" in text
    assert not browser.page.xpath("//script")
    text = await browser.upload(UPLOAD, 200, ("report.md", "# Aldra\n\nGrün.".encode()), source="Gazette")
    assert "1 document read: 1 created" in text
    text = await browser.send(QUESTIONS, questions=f"Who?\n\nWhere? \r\n{HOSTILE[0]}\nWho?")
    assert "3 questions read: 3 created" in text
    async with reading.database.begin() as session:
        query = await session.scalar(select(Query).where(Query.text == "Who?"))
        assert query is not None
        query.gold_answers = ["me"]
    assert "2 questions read: 1 created, 1 unchanged" in await browser.send(QUESTIONS, questions="Who?\nWhen?")
    async with reading.database.begin() as session:
        assert (await session.get_one(Query, query.id)).gold_answers == ["me"]
    assert "An estimation next" in await browser.get(ADD)
    assert "is waiting for a worker" in await browser.send(f"{PAGES}/estimations")


async def test_a_failed_answer_is_no_answer(browser: Browser, reading: Runtime, corpus: Corpus) -> None:
    async with reading.database.begin() as session:
        failed = AnswerRecord(corpus_id=corpus.id, question="Who?", parameters={}, status=RunStatus.FAILED)
        session.add(failed)
    assert "The first answer done" not in await browser.get(ADD)
    async with reading.database.begin() as session:
        await session.execute(update(AnswerRecord).values(status=RunStatus.SUCCEEDED))
    assert "The first answer done" in await browser.get(ADD)


async def test_files_that_cannot_be_taken(browser: Browser) -> None:
    await browser.get(ADD)
    for file, source, reason in (
        (("towers.exe", b"MZ"), "Herald", "must end in one of .ndjson, .jsonl, .txt"),
        (("towers.txt", b"Red."), " ", "Name the source"),
        (("towers.txt", b"\x00"), "Herald", "binary, not text"),
        (("../<b>.txt", b" "), "Herald", "Line 1: content: must not be blank"),
        (("", b""), "Herald", "Choose a file"),
        (("empty.jsonl", b""), "", "There was nothing in it"),
    ):
        status = 200 if file[0] == "empty.jsonl" else 422
        assert reason in await browser.upload(UPLOAD, status, file, source=source)
    assert "multipart/form-data" in await browser.send(UPLOAD, 415, source="Herald")
    await browser.get(UPLOAD)
    many = b"[]\n" * (uploads.REJECTIONS_SHOWN + 5)
    assert "These are the first of 105 lines" in await browser.upload(UPLOAD, 422, ("bad.ndjson", many))


async def test_several_files_and_a_text_at_once(browser: Browser, reading: Runtime) -> None:
    await browser.get(ADD)
    good = ("tall.pdf", pdf("The tower is tall.")), ("red.txt", b"The tower is red.")
    bad = ("broken.pdf", b"%PDF-1.4 broken"), ("tower.exe", b"MZ")
    sent = {"source": "Herald", "title": "Old", "text": "The tower is old."}
    text = await browser.upload(UPLOAD, 422, *bad, *good, **sent)
    assert "3 documents read: 3 created" in text
    assert "broken.pdf: The PDF cannot be read" in text
    assert "tower.exe: The name of the file must end in" in text
    async with reading.database.begin() as session:
        documents = list(await session.scalars(select(Document).order_by(Document.external_id)))
    assert [document.external_id for document in documents] == ["Old", "red.txt", "tall.pdf"]
    assert [document.content for document in documents] == [
        "The tower is old.",
        "The tower is red.",
        "The tower is tall.",
    ]
    small = replace(reading, settings=reading.settings.model_copy(update={"connector_max_bytes": 100}))
    async with browser_of(create_app(small.settings, runtime=small)) as client:
        limited = Browser(client)
        await limited.get(ADD)
        assert "limited to 100 bytes" in await limited.upload(UPLOAD, 422, good[0], source="Herald")
        assert "the title of the text" in await limited.upload(UPLOAD, 422, source="Herald", text="The tower is old.")


async def test_an_upload_over_the_limit_says_what_to_do(settings: Settings, reading: Runtime) -> None:
    limited = settings.model_copy(update={"max_import_bytes": 20_000})
    async with browser_of(create_app(limited, runtime=reading)) as client:
        browser = Browser(client)
        await browser.get(ADD)
        text = await browser.upload(UPLOAD, 413, ("big.jsonl", b"x" * 30_000))
    assert "larger than the 20,000 bytes" in text
    assert "can be cut between any two lines" in text
    assert ADD in browser.links()


async def test_feeds_and_sitemaps(browser: Browser, reading: Runtime) -> None:
    await browser.get(ADD)
    text = await browser.send(CONNECTORS, name=HOSTILE[0], urls="http://127.0.0.1:9/feed.xml")
    assert f"{HOSTILE[0]} queued every hour, next " in text
    assert [script.get("src").split("?")[0] for script in browser.page.xpath("//script")] == ["/static/wait.js"]
    await browser.send(CONNECTORS, name="site", kind="pages", cron="", urls="", sitemap=SITEMAP)
    await browser.send(CONNECTORS, name="one", kind="pages", cron="", urls="https://herald.invalid/a.html")
    assert "urls" in await browser.send(CONNECTORS, 422, name="bad", urls="javascript:alert(1)")
    async with reading.database.begin() as session:
        feed, site, one = (await session.scalars(select(Connector).order_by(Connector.id))).all()
    assert (feed.kind, site.kind, site.config, site.schedule_id) == (
        "feed",
        "pages",
        {"sitemap": SITEMAP},
        None,
    )
    assert (one.kind, one.config) == ("pages", {"urls": ["https://herald.invalid/a.html"]})
    await connectors.run(reading, feed.id)
    text = await browser.get(ADD)
    assert "nothing could be read" in text
    assert "1 address could not be read" in text
    assert "127.0.0.1" in text
    actions = [form.action for form in browser.page.forms if form.action.startswith(f"{CONNECTORS}/")]
    assert actions == [f"{CONNECTORS}/{feed.id}/{action}" for action in ("run", "settings", "delete")]


async def test_connectors_of_files_have_forms_where_a_folder_is_open(
    browser: Browser, reading: Runtime, tmp_path: Path
) -> None:
    await browser.get(ADD)
    kinds = "//input[@name='kind']/@value"
    assert browser.page.xpath(kinds) == ["feed", "pages", "dataset"]
    opened = replace(reading, settings=reading.settings.model_copy(update={"connector_folder": tmp_path}))
    path = str(tmp_path / "news.csv")
    table = {"path": path, "columns": {"source": "site"}, "sync": True}
    async with browser_of(create_app(opened.settings, runtime=opened)) as client:
        filling = Browser(client)
        await filling.get(ADD)
        assert set(filling.page.xpath(kinds)) == {kind.name for kind in CONNECTOR_KINDS} - {"remote"}
        await filling.send(
            CONNECTORS, name="news", kind="table", path=path, columns="source = site", sync="true", cron=""
        )
    async with reading.database.begin() as session:
        (made,) = await session.scalars(select(Connector))
        assert made.config == table
        made.status = RunStatus.SUCCEEDED
    # Who may not name its file may still say when it is read.
    here = f"{CONNECTORS}/{made.id}/settings"
    await browser.get(ADD)
    assert (browser.values(here)["columns"], browser.values(here)["sync"]) == ("source = site", "true")
    await browser.send(here, cron="0 4 * * *")
    assert "every day at 04:00" in browser.text
    await browser.get(ADD)
    assert "CREDENCE_CONNECTOR_FOLDER" in await browser.send(here, 422, path="/etc/passwd")


async def test_forms_are_those_of_the_scopes(stranger: Browser, reading: Runtime, corpus: Corpus) -> None:
    await sign_in(stranger, await secret_of(reading, corpus, Scope.READ))
    await stranger.get(ADD)
    assert [form.action for form in stranger.page.forms] == ["/sign-out"]
    token = dict(stranger.page.forms[0].form_values())
    for path in (UPLOAD, QUESTIONS, CONNECTORS, "/demo"):
        response = await stranger.client.post(path, data=token | {"name": "a", "url": "https://a.example/feed"})
        assert response.status_code == 403
    assert (await stranger.client.post(UPLOAD, files={"file": ("a.txt", b"Red.")})).status_code == 403
