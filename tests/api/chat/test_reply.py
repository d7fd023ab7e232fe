"""What a person reads in a chat, for each outcome of a question."""

from collections.abc import Mapping
from dataclasses import replace
from uuid import uuid4

import pytest

from answering.questions.conversation import Role, Turn
from api.chat.chat import ChatRequest
from api.chat.model_names import ModelName
from api.chat.reply import MAX_SOURCES, Addresses, Reply, escape, web_address, write_reply
from registry.corpora.model import Corpus
from registry.runtime import Runtime
from registry.viewers.model import UNRESTRICTED
from tests.registry.audited import audited
from tests.registry.estimated import finished
from tests.registry.world import TOWERS, build, colour_reader, honest, liar, question
from tests.tables import for_each


@pytest.fixture
def reading(runtime: Runtime) -> Runtime:
    return replace(runtime, reader=colour_reader())


async def reply_to(runtime: Runtime, corpus: Corpus, text: str) -> Reply:
    turns = [Turn(Role.USER, text)]
    name = ModelName(corpus.name)
    request = ChatRequest(runtime, corpus, name, "", turns, asker=UNRESTRICTED, field="messages")
    request.check()
    return await request.answer()


async def stated(runtime: Runtime, corpus: Corpus, colours: Mapping[str, str]) -> Reply:
    """The reply where each source says this of one tower."""
    await build(runtime, corpus, {name: {"Aldra": colour} for name, colour in colours.items()})
    return await reply_to(runtime, corpus, question("Aldra"))


async def test_sources_that_conflict_are_all_heard(reading: Runtime, corpus: Corpus) -> None:
    reply = await stated(reading, corpus, {"herald": "red", "rumour": "purple"})
    first, _, rest = reply.text.partition("\n")
    assert first in {"The sources conflict: **red** or **purple**.", "The sources conflict: **purple** or **red**."}
    assert "- Herald says **red**" in rest
    assert "- Rumour says **purple**" in rest
    assert "Who says otherwise" not in rest
    assert len(reply.quotes) == 2


async def test_what_is_likelier_wrong_is_no_plain_answer(reading: Runtime, corpus: Corpus) -> None:
    reply = await stated(reading, corpus, {"herald": "red"})
    assert reply.result is not None
    doubtful = reply.result.model_copy(update={"confidence": 0.4})
    assert write_reply(doubtful, Addresses(), answer_id=uuid4(), asked="", understood="").text.startswith(
        "Perhaps **red**\n"
    )


async def test_a_reliability_on_the_topic_stands_beside_the_overall_one(reading: Runtime, corpus: Corpus) -> None:
    """Of those who say so and of those who do not."""
    reply = await stated(reading, corpus, {"herald": "red", "gazette": "red", "rumour": "purple"})
    assert reply.result is not None
    known = {"reliability": 0.72, "overall_reliability": 0.61}
    result = reply.result.model_copy(
        update={
            "selected_sources": tuple(source.model_copy(update=known) for source in reply.result.selected_sources),
            "dissent": tuple(dissent.model_copy(update=known) for dissent in reply.result.dissent),
        }
    )
    text = write_reply(result, Addresses(), answer_id=uuid4(), asked="", understood="").text
    for line in ("- Herald (reliability 61% overall, 72% on this topic)", "- Rumour (reliability 61% overall, 72% on"):
        assert line in text


async def test_who_has_no_answer_says_why(reading: Runtime, corpus: Corpus) -> None:
    await build(reading, corpus, {"herald": {"Aldra": "red"}})
    reply = await reply_to(reading, corpus, question("Nowhere"))
    assert reply.text.startswith("**No answer.** ")
    assert reply.result is not None
    assert reply.result.no_answer is not None
    assert "How sure" not in reply.text


async def test_many_sources_are_counted_not_listed(reading: Runtime, corpus: Corpus) -> None:
    reply = await stated(reading, corpus, {f"paper {number}": "red" for number in range(MAX_SOURCES + 3)})
    supporters = sum(source.supports for source in reply.result.selected_sources) if reply.result else 0
    assert reply.text.count("\n- Paper") == min(supporters, MAX_SOURCES)
    assert ("more" in reply.text.partition("Who says so")[2]) is (supporters > MAX_SOURCES)


async def test_reliabilities_are_told_once_they_are_known(reading: Runtime, corpus: Corpus) -> None:
    worlds = {"herald": honest(), "gazette": honest(), "rumour": liar("Aldra", "Brin", "Corvo", "Delm")}
    await build(reading, corpus, worlds, TOWERS)
    await finished(reading, corpus)
    reply = await reply_to(reading, corpus, question("Aldra"))
    assert "- Herald (reliability " in reply.text
    assert "- Rumour (reliability " in reply.text.partition("Who says otherwise")[2]
    assert "no estimation" not in reply.text


async def test_how_sure_is_said_with_what_it_rests_on(reading: Runtime, corpus: Corpus) -> None:
    unknown = await stated(reading, corpus, {"herald": "red", "gazette": "red"})
    assert "How sure: too little is known about its sources to say. 2 of 2" in unknown.text
    run = await finished(reading, corpus)
    await audited(reading, corpus, run.id)
    counted = await reply_to(reading, corpus, question("Aldra"))
    assert "How sure: 86%, as 9 of 10 such answers were right. 2 of 2" in counted.text


@for_each(
    "text",
    [
        "![pixel](https://evil.example/x.png)",
        "[click](https://evil.example)",
        "[id]: https://evil.example",
        "<img src=https://evil.example>",
        "&lt;b&gt;",
        "see https://evil.example/a or www.evil.example or me@evil.example",
        "<think>secret</think>",
        "**bold** _it_ `code` ~~gone~~ $x$ {{HTML_FILE_ID_1}}",
        "# heading\n- item\n\n| a | b |",
    ],
)
def test_nothing_is_left_to_interpret(text: str) -> None:
    shown = escape(text)
    for markup in ("![", "](", "<", ">", "://", "www.", "mailto:", "\n", "{{", "**", "~~"):
        assert markup not in shown.replace("\\*\\*", "").replace("\\~\\~", "").replace("\\{\\{", "")
    assert "&lt;b" not in escape("&lt;b&gt;")


def test_only_web_addresses_are_linked() -> None:
    assert web_address("https://example.org/a?b=c#d") == "https://example.org/a?b=c#d"
    for address in (
        "javascript:alert(1)",
        "data:text/html,x",
        "//example.org",
        "file:///etc/passwd",
        "",
        None,
        "https://[",
    ):
        assert web_address(address) is None


def test_an_address_cannot_leave_its_link() -> None:
    address = web_address('https://example.org/) ![x](https://evil.example/<>"`\\')
    assert address is not None
    assert not set(address) & set(' ()[]<>"`\\!')
