"""The paths that a person takes, in a real browser: where no Chromium is installed, these tests are skipped."""

import re
import secrets
import shutil
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import psycopg
import pytest
from sqlalchemy import NullPool, create_engine, func, update
from sqlalchemy.engine import URL
from sqlalchemy.orm import Session

from answering.embedders import Embedder
from benchmarks.pages import world
from benchmarks.pages.addresses import evaluated, identifiers, of_source, page_paths
from registry.connectors.files import read_file
from registry.keys.model import ApiKey
from registry.keys.service import digest
from registry.platform.settings import Settings
from tests.api.demo.perfect_reader import perfect_reader
from tests.api.http.conftest import serving
from tests.api.pages.troubles import BROKEN_LINES, trouble
from tests.api.pages.walks import TOO_WIDE, Opener, faults_without_scripts
from tests.fakes.identity_provider import ADA, identity_provider
from tests.registry.world import TOWERS, colour_reader, honest, liar, question

pytest.importorskip("playwright", reason="the package playwright is not installed: `make test` installs it")

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, ViewportSize, expect, sync_playwright

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine: `apt-get install chromium` gets one"),
    pytest.mark.timeout(480),
]
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\u202e\u05e9\u05dc\u05d0 👩\u200d🚀"
AXE = "async (options) => { const found = await axe.run(options); return [found.passes.length, found.violations]; }"
EVERYTHING = {"rules": {"target-size": {"enabled": True}}}
# In dark colours only these can differ.
CONTRAST = {"runOnly": {"type": "rule", "values": ["color-contrast", "scrollable-region-focusable"]}}
AA = {"wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"}
NOTHING = "00000000-0000-0000-0000-000000000000"
LONG = "ada.lovelace.of.the.analytical.engine@example.org"
RIGHT_TO_LEFT = "\u05d4\u05e2\u05d9\u05ea\u05d5\u05df (\u05d9\u05d5\u05de\u05d9)"
PHONE, DESK = ViewportSize(width=360, height=800), ViewportSize(width=1200, height=800)
# The contrast of every shape that shows a figure, against the ground that it stands on, by the formula of WCAG 2.2.
SHAPES = """() => {
  const rgb = (colour) => colour.match(/[0-9.]+/g).map(Number);
  const light = (colour) => rgb(colour).slice(0, 3).map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const shown = (colour) => colour !== "none" && (rgb(colour)[3] ?? 1) > 0;
  const ground = (element) => {
    for (let each = element.closest("svg").parentElement; each; each = each.parentElement) {
      const colour = getComputedStyle(each).backgroundColor;
      if (shown(colour)) return light(colour);
    }
  };
  const shapes = "svg :is(.range, .few, .estimate, .other, .axis, .line, .event, .link, .node)";
  return [...document.querySelectorAll(shapes)].map((shape) => {
    const style = getComputedStyle(shape), below = ground(shape);
    const contrasts = [style.fill, style.stroke].filter(shown).map((colour) => {
      const [high, low] = [light(colour), below].sort((a, b) => b - a);
      return (high + 0.05) / (low + 0.05);
    });
    return [shape.getAttribute("class"), Math.max(...contrasts)];
  });
}"""
SMALLEST_TEXT = """() => Math.min(...[...document.querySelectorAll("svg text")].map((text) =>
  parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a))"""
# Words whose popover is not there, and identifiers of several elements.
POPOVERS = """() => [...document.querySelectorAll("[popovertarget]")]
  .map((button) => button.getAttribute("popovertarget"))
  .filter((id) => document.querySelectorAll(`[popover]#${CSS.escape(id)}`).length !== 1)"""
# Labels that their fields, or other labels, cover.
COVERED = """() => {
  const box = (element) => element.getBoundingClientRect();
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const shown = [...document.querySelectorAll("label")].filter((label) => label.control && label.checkVisibility());
  return shown.filter((label) => !label.contains(label.control) && meet(box(label), box(label.control)))
    .map((label) => label.textContent);
}"""
# Tables that are wider than a phone.
SIDEWAYS = """() => [...document.querySelectorAll("table")].map((table) => table.closest(".scroll"))
  .filter((around) => around && around.scrollWidth > around.clientWidth)
  .map((around) => around.getAttribute("aria-label"))"""
# What nobody can use on paper, and light text.
NEVER_PRINTED = """() => [...document.querySelectorAll("main, nav, form, button:not(.term), input")]
  .filter((part) => part.checkVisibility() && (part.matches("nav, form, button, input")
    || Number(getComputedStyle(part).color.match(/[0-9]+/)[0]) > 128))
  .map((part) => part.outerHTML.slice(0, 99))"""
# The names, quotes and headings of an answer, also those that are folded away on the screen.
PRINTED = """() => [...document.querySelectorAll("h1, h2, h3, .answer, .positions a, details li a, blockquote")]
  .filter((part) => !part.closest("form, nav, .no-print")).map((part) => part.textContent)"""
UNFOLD = """() => document.querySelectorAll("details").forEach((part) => {
  part.removeAttribute("name");
  part.open = true;
})"""
# Counts changes in live regions over all pages of a tab.
COUNT_LIVE = """addEventListener("DOMContentLoaded", () => {
  for (const region of document.querySelectorAll("[aria-live]")) {
    new MutationObserver((changes) => { sessionStorage.live = Number(sessionStorage.live ?? 0) + changes.length; })
      .observe(region, { childList: true, characterData: true, subtree: true });
  }
})"""
# Whether what has the focus comes behind the beginning of what the fragment of the address names.
BEHIND_TARGET = """() => {
  const target = document.querySelector(":target"), focused = document.activeElement;
  return target.contains(focused) || !!(target.compareDocumentPosition(focused) & Node.DOCUMENT_POSITION_FOLLOWING);
}"""
REFUSED = re.compile("responded with a status of 4(01|03|22)")
# What a browser does by itself.
QUIET = ["--disable-extensions", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
# Milliseconds; a busy machine is slow.
PATIENCE = 60_000


@pytest.fixture
def service(settings: Settings, embedder: Embedder) -> Iterator[str]:
    """The URL of a service with its worker, which looks once for work that lost its job."""
    with serving(settings.model_copy(update={"job_heartbeat_seconds": 3600}), colour_reader(), embedder) as url:
        yield url


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", *QUIET])
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Browser) -> Opener:
    """Opens a page in a context of its own and notes what goes wrong in it."""

    @contextmanager
    def opened(**options: Any) -> Iterator[Page]:  # noqa: ANN401  (those of Playwright)
        context = chromium.new_context(**options)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        faults: list[str] = []
        page.on("console", lambda message: faults.append(message.text) if is_fault(message) else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("dialog", lambda dialog: faults.append(f"dialog: {dialog.message}"))
        yield page
        context.close()
        assert not faults

    return opened


def is_fault(message: ConsoleMessage) -> bool:
    """Whether it is an error, which a form that is refused is not."""
    return message.type == "error" and not REFUSED.search(message.text)


def fill(url: str) -> None:
    """Sources, documents and queries over HTTP; one source has a hostile name and writes hostile text, and one writes
    from right to left.
    """
    corpus = f"{url}/v1/corpora/default"
    stated = {"Herald": honest(), "Gazette": honest(), HOSTILE: liar("Aldra", "Brin")}
    stated[RIGHT_TO_LEFT] = honest() | {"Aldra": "\u05d0\u05d3\u05d5\u05dd", "Farn": "\u05e6\u05d4\u05d5\u05d1"}
    with httpx.Client(timeout=60) as client:
        for name, towers in stated.items():
            values = {"name": name, "description": name * 100}
            source = client.post(f"{corpus}/sources", json=values).json()
            for tower, colour in towers.items():
                document = {"title": f"{tower} {name}", "content": f"{name} The tower of {tower} is painted {colour}."}
                assert client.post(f"{corpus}/sources/{source['id']}/documents", json=document).is_success
        for tower in TOWERS:
            gold = None if tower == "Aldra" else [honest()[tower]]
            assert client.post(f"{corpus}/queries", json={"text": question(tower), "gold_answers": gold}).is_success


def test_from_an_empty_service_to_an_answer(settings: Settings, embedder: Embedder, open_page: Opener) -> None:
    """With the demo corpus, whose copies, topics, dispute and misled majority every page finds."""
    with (
        serving(settings, perfect_reader(), embedder) as service,
        open_page() as page,
        open_page(java_script_enabled=False) as plain_page,
    ):
        load_demo(page, service)
        page.get_by_role("link", name="Sources", exact=True).click()
        expect(page.get_by_role("row")).to_have_count(12)
        expect(page.get_by_text("copy group of 3")).to_have_count(3)
        # Long names are whole where there is room.
        expect(page.get_by_role("link", name="Municipal Museum and Archive of Port Ørsa")).to_be_visible()
        page.get_by_role("button", name="votes", exact=True).press("Enter")
        expect(page.get_by_text("vote: an aligned and classified reading")).to_be_visible()
        page.keyboard.press("Escape")
        page.get_by_role("link", name="Hearthside Tales").click()
        expect(page.get_by_role("row", name="people and history").first).to_be_visible()
        page.get_by_text("Set the reliability by hand").click()
        page.get_by_label("Reliability, from 0 to 1").fill("0.4")
        page.get_by_label("Reason").fill("Known to me")
        page.get_by_role("button", name="Set", exact=True).click()
        expect(page.get_by_text("“Known to me”")).to_be_visible()
        page.keyboard.press("Tab")
        assert page.evaluate(BEHIND_TARGET)
        page.get_by_role("link", name="Ask", exact=True).click()
        page.wait_for_load_state()
        page.get_by_label("Question", exact=True).fill("Who designed the Skerrow Lighthouse?")
        page.get_by_label("Question", exact=True).press("Enter")
        expect(page.get_by_role("heading", name="Answered")).to_be_visible(timeout=PATIENCE)
        expect(page.locator(".answer")).to_have_text("Hélène Marchetti")
        expect(page.locator(".positions h3")).to_have_text(["Hélène Marchetti", "Gustav Eiklund", "Gerda Falk"])
        print_and_ask_on_another_topic(page)
        page.locator("figcaption a").first.click()
        expect(page.locator("#marked")).to_contain_text("Marchetti")
        page.get_by_role("link", name="Disputes").click()
        page.get_by_role("link", name="Who was the first harbour master of Port Ørsa?").click()
        page.get_by_role("button", name="This is right").first.click()
        expect(page.get_by_text("Set as right: Joachim Tellander, Albrecht Moor")).to_be_visible()
        page.get_by_role("link", name="Sources", exact=True).click()
        page.get_by_role("link", name="Copies").click()
        expect(page.get_by_text("the others copy The Whispering Gull")).to_be_visible()
        page.locator("svg.graph a").first.press("Enter")
        expect(page.get_by_text("gives odds of more than 1,000,000 to 1")).to_be_visible()
        page.get_by_role("link", name="Data", exact=True).click()
        page.get_by_role("link", name="Runs").first.click()
        expect(page.get_by_role("row", name="succeeded")).to_contain_text("407")
        page.get_by_role("link", name="Quality").click()
        expect(page.get_by_text("64 queries have a right answer")).to_be_visible()
        page.goto(f"{service}/operations")
        expect(page.get_by_role("row", name="demo")).to_contain_text("443")
        plain_page.goto(f"{service}/corpora/demo/answers")
        plain_page.get_by_label("Question", exact=True).fill("Which strait separates Skerrow from Velmarra?")
        plain_page.get_by_role("button", name="Ask", exact=True).click()
        expect(plain_page.locator(".answer")).to_have_text("Gannet Sound", timeout=PATIENCE)


def print_and_ask_on_another_topic(page: Page) -> None:
    """Of an answer; the one on another topic stands beside it, and its sources have both reliabilities."""
    expect(page.get_by_text("3 copies, one vote")).to_be_visible()
    assert not_printed(page) == []
    asked = page.url
    page.get_by_text("Change the topic").click()
    topic = page.get_by_label("Ask again on")
    other = topic.locator("option:not([selected])").first
    name = other.text_content() or ""
    topic.select_option(label=name)
    page.get_by_role("button", name="Ask on this topic").click()
    expect(page.get_by_role("row", name="before:")).to_contain_text("Hélène Marchetti", timeout=PATIENCE)
    expect(page.get_by_text(f"Topic: {name}, as given.")).to_be_visible()
    expect(page.locator(".givers li").first).to_contain_text(re.compile(r"\d+\s%\s+here, \d+\s% overall, registered"))
    page.goto(asked)


def not_printed(page: Page) -> list[str]:
    """What is on the paper of an answer and should not be, or is not and should be."""
    page.emulate_media(media="print", color_scheme="dark")
    faults: list[str] = page.evaluate(NEVER_PRINTED)
    expected: list[str] = page.evaluate(PRINTED)
    text, _ = read_file("answer.pdf", page.pdf())
    page.emulate_media(media="screen", color_scheme="light")
    # Lines break elsewhere, and letters may be joined.
    printed = "".join(unicodedata.normalize("NFKC", text).split())
    assert len(expected) > 20
    return faults + [each for each in expected if "".join(each.split()) not in printed]


def load_demo(page: Page, url: str) -> None:
    """An empty corpus says that it is empty, and offers the demo."""
    page.add_init_script(COUNT_LIVE)
    page.goto(url)
    expect(page.get_by_text("estimates how reliable each is")).to_be_visible()
    expect(page.get_by_role("button", name="Load the demo")).to_be_visible()
    page.get_by_role("link", name="default").click()
    expect(page.get_by_text("This corpus has no sources yet.")).to_be_visible()
    page.get_by_role("link", name="Disputes").click()
    expect(page.get_by_text("Nothing has been estimated yet")).to_be_visible()
    page.get_by_role("link", name="Sources", exact=True).click()
    page.get_by_role("button", name="Load the demo").click()
    expect(page.get_by_text("407 votes of 11 sources on 64 queries")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_text("3 sources that copy each other count as 1 source")).to_be_visible()
    # A screen reader reads out each of them.
    assert 1 <= int(page.evaluate("sessionStorage.live ?? 0")) <= 9


def test_every_page_is_accessible_and_fits_a_phone(
    service: str, settings: Settings, migrated_url: URL, open_page: Opener
) -> None:
    fill(service)
    with httpx.Client(base_url=f"{service}/v1/corpora/default", timeout=60) as client:
        # A run that uses the gold answers of all queries leaves none to evaluate it on.
        for method in ("auto", "majority"):
            parameters = {"use_gold": False, "method": method}
            run = client.post("/estimations", json={"parameters": parameters}).json()["id"]
            for line in client.get(f"/estimations/{run}/events").iter_lines():
                assert "failed" not in line
        known = identifiers(client, question("Aldra"), "tower", RIGHT_TO_LEFT)
        nowhere = client.post("/answers", json={"question": "How tall is the tower of Nowhere?"}).json()
        assert not nowhere["result"]["answers"]
        instead = {"instead_of": known["estimation_id"]}
        client.post(f"/estimations/{known['earlier_id']}:make-current", json=instead).raise_for_status()
        client.post("/joined-answers", json={"question": question("Aldra"), "answers": ["red", "scarlet"]})
        other = of_source(client, HOSTILE)
    # Longer than what is accepted over HTTP.
    with psycopg.connect(settings.database_url.get_secret_value()) as connection:  # type: ignore[union-attr]  # it is set
        connection.execute("UPDATE sources SET name = repeat('Ñ', 10000) WHERE name = 'Gazette'")
    states = [*trouble(migrated_url), f"/corpora/default/answers/{nowhere['id']}"]
    # Colours that are still changing would be judged.
    with open_page(color_scheme="light", viewport=PHONE, reduced_motion="reduce") as page:
        known["evaluation_id"] = evaluated(page, service, "default")
        paths = sorted({*page_paths(known).values(), *page_paths(known | other).values(), *states})
        for path in paths:
            assert page.goto(f"{service}{path}").ok, path  # type: ignore[union-attr]  # no fragments
            look_at(page, path)
        page.goto(f"{service}/corpora/default/documents")
        lines = {"name": "lines.jsonl", "mimeType": "application/x-ndjson", "buffer": BROKEN_LINES}
        page.get_by_label("Or files").set_input_files(lines)  # type: ignore[arg-type]  # it is one of these
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.get_by_text("2 documents read: 1 created, 1 rejected")).to_be_visible()
        page.evaluate(UNFOLD)
        look_at(page, "a report of rejected lines, and all forms")
    with open_page(java_script_enabled=False, viewport=PHONE) as plain_page:
        assert faults_without_scripts(plain_page, service, paths) == []


def look_at(page: Page, path: str) -> None:
    """Assert that a page fits a desk and a phone, and is accessible in light and dark colours."""
    for size in (DESK, PHONE):
        page.set_viewport_size(size)
        assert page.evaluate(TOO_WIDE) == [], (path, size)
        assert page.evaluate(COVERED) == [], (path, size)
    assert page.evaluate(SIDEWAYS) == [], path
    assert page.evaluate(SMALLEST_TEXT) >= 11, path
    assert page.evaluate(POPOVERS) == [], path
    for scheme, checks in (("light", None), ("dark", CONTRAST)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # it is one of these
        assert serious_faults(page, checks) == [], (path, scheme)
        assert [shape for shape in page.evaluate(SHAPES) if shape[1] < 3] == [], (path, scheme)


def test_every_page_shows_10_000_sources(service: str, settings: Settings, open_page: Opener) -> None:
    with psycopg.connect(settings.database_url.get_secret_value()) as connection:  # type: ignore[union-attr]  # it is set
        world.build(connection, 10_000)
    with httpx.Client(base_url=f"{service}/v1/corpora/default", timeout=60) as client:
        source = client.get("/sources", params={"limit": 1}).json()["items"][0]
        document = {"title": "Bridge", "content": "The bridge of Aldra is painted red."}
        client.post(f"/sources/{source['id']}/documents", json=document).raise_for_status()
        known = identifiers(client, question("Aldra"), "bridge", source["name"])
    # No query has a right answer to evaluate on.
    paths = page_paths({**known, "evaluation_id": NOTHING})
    assert paths.pop("/corpora/{corpus}/quality/{evaluation_id}")
    with open_page(java_script_enabled=False, viewport=PHONE) as page:
        assert faults_without_scripts(page, service, paths.values()) == []


def test_a_person_signs_in_at_another_site_and_lands_on_the_page_that_was_asked_for(
    settings: Settings, embedder: Embedder, open_page: Opener
) -> None:
    """Browsers keep strict cookies from the way back from another site, which no HTTP client does."""
    with identity_provider() as provider:
        provider.person = {**ADA, "email": LONG}
        own = provider.settings(settings, oidc_default_role="owner")
        with (
            serving(own, colour_reader(), embedder) as service,
            open_page(viewport=PHONE, reduced_motion="reduce") as page,
        ):
            url = service.replace("127.0.0.1", "localhost")
            for scheme, checks in (("light", None), ("dark", CONTRAST)):
                page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # it is one of these
                page.goto(f"{url}/sign-in")
                assert serious_faults(page, checks) == []
                page.goto(f"{url}/sign-in/provider?goal=/operations/people")
                expect(page.get_by_role("row", name=f"{LONG} Ada Lovelace you")).to_be_visible()
                if scheme == "light":
                    page.set_viewport_size({"width": 1024, "height": 760})
                    page.goto(f"{url}/corpora/default")
                    rows = page.locator("header.site > *").evaluate_all(
                        "(parts) => parts.map((part) => part.offsetTop)"
                    )
                    assert max(rows) - min(rows) < 20
                    page.set_viewport_size(PHONE)
                    page.goto(f"{url}/operations/people")
                page.get_by_text("Change", exact=True).click()
                assert page.evaluate(TOO_WIDE) == []
                assert serious_faults(page, checks) == []
                page.get_by_role("button", name="Sign out").click()
                expect(page.get_by_role("link", name="Sign in with 127.0.0.1")).to_be_visible()


def test_what_is_typed_survives_a_revoked_key_and_no_key_is_made_twice(
    settings: Settings, migrated_url: URL, embedder: Embedder, open_page: Opener
) -> None:
    """In a browser, as cookies and the fields of forms that were sent are its own."""
    first, second = secrets.token_urlsafe(), secrets.token_urlsafe()
    with Session(create_engine(migrated_url, poolclass=NullPool)) as session, session.begin():
        for name, secret in (("first", first), ("second", second)):
            key = ApiKey(name=name, prefix=secret[:9], secret_hash=digest(secret), scopes=["admin"])
            session.add(key)
    guarded = settings.model_copy(update={"require_api_keys": True})
    with serving(guarded, colour_reader(), embedder) as url, open_page() as page:
        sign_in(page, url, first)
        page.goto(f"{url}/corpora/default/keys")
        page.get_by_label("Name", exact=True).fill("newsroom")
        page.get_by_role("button", name="Create the key").click()
        expect(page.locator(".secret")).to_be_visible()
        page.reload()
        expect(page.locator(".secret")).to_have_count(0)
        expect(page.get_by_role("row", name="newsroom")).to_have_count(1)
        ask = f"{url}/corpora/default/answers"
        page.goto(ask)
        page.get_by_label("Question", exact=True).fill("Which tower leans?")
        with Session(create_engine(migrated_url, poolclass=NullPool)) as session, session.begin():
            session.execute(update(ApiKey).where(ApiKey.name == "first").values(revoked_at=func.now()))
        page.get_by_role("button", name="Ask", exact=True).click()
        expect(page.get_by_text("What you typed is kept until you have signed in:")).to_be_visible()
        page.get_by_label("API key").fill(second)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("button", name="Send it now").click()
        expect(page.get_by_role("heading", name="Which tower leans?")).to_be_visible()
        # The page loads itself again once the answer is there.
        expect(page.locator("#standing")).to_have_count(0)
        # In another tab, somebody signs out and in again.
        page.goto(ask)
        page.get_by_label("Question", exact=True).fill("Which tower fell?")
        with page.context.new_page() as other:
            other.goto(ask)
            other.get_by_role("button", name="Sign out").click()
            sign_in(other, url, second)
        page.get_by_role("button", name="Ask", exact=True).click()
        expect(page.get_by_role("heading", name="This form is out of date")).to_be_visible()
        expect(page.get_by_text("Which tower fell?")).to_be_visible()
        assert "key" not in page.inner_text("main")


def sign_in(page: Page, url: str, secret: str) -> None:
    page.goto(f"{url}/sign-in")
    page.get_by_label("API key").fill(secret)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def serious_faults(page: Page, options: dict[str, Any] | None = None) -> list[tuple[str, list[str]]]:
    """What axe finds against WCAG 2.2 AA, and all else that keeps people from using the page, with its elements."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    # Without what passes, which a browser would describe element by element.
    passes, violations = page.evaluate(AXE, {"resultTypes": ["violations"], **(options or EVERYTHING)})
    assert passes
    return [
        (fault["id"], [node["html"] for node in fault["nodes"]][:5])
        for fault in violations
        if fault["impact"] in {"serious", "critical"} or AA.intersection(fault["tags"])
    ]
