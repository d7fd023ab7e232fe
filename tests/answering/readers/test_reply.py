"""The answers in replies of models."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answering.errors import UnreadableReply
from answering.readers.reply import MAX_REPLY_CHARACTERS, parse_reply
from tests.tables import for_each


@for_each(
    ("reply", "answer"),
    [
        ("Ada Lovelace", "Ada Lovelace"),
        (" Ada Lovelace.\n", "Ada Lovelace"),
        ('"Ada Lovelace"', "Ada Lovelace"),
        ("“Ada Lovelace.”", "Ada Lovelace"),
        ("Answer: 1843", "1843"),
        ("answer - 1843", "1843"),
        ("The answer is: 1843.", "1843"),
        ("**Final answer:** 1843", "1843"),
        ("```\n1843\n```", "1843"),
        ("```text\n1843\n```", "1843"),
        ("<think>Let me see.\n1900?</think>\n1843", "1843"),
        ("<THINK>hm</THINK> 1843", "1843"),
        ("1843\n\nThis is stated in passage 2.", "1843"),
        ("J. R. R. Tolkien", "J. R. R. Tolkien"),
        ("the U.S.", "the U.S."),
        ("3.5", "3.5"),
        ("$5", "$5"),
        ("Answer: -5 °C", "-5 °C"),
        ("5'10\"", "5'10\""),
        ('"Ada Lovelace".', "Ada Lovelace"),
        ("'*Ada*'", "Ada"),
        ("東京", "東京"),
        ("القاهرة", "القاهرة"),
    ],
)
def test_wrappings_are_removed(reply: str, answer: str) -> None:
    assert parse_reply(reply) == answer


@for_each(
    "reply",
    ["IDK", "idk.", '"IDK"', "Answer: IDK", "I don't know.", "**IDK**", "```\nIDK\n```", "Unknown", "?!"],
)
def test_abstentions_are_none(reply: str) -> None:
    assert parse_reply(reply) is None


@for_each("reply", ["", "  \n ", "<think>endless", "<think></think>", "``````"])
def test_an_empty_reply_is_unreadable(reply: str) -> None:
    with pytest.raises(UnreadableReply, match="nothing"):
        parse_reply(reply)


@pytest.mark.parametrize("lecture", ["word\n" * MAX_REPLY_CHARACTERS, "word " * 200])
def test_a_long_reply_is_unreadable(lecture: str) -> None:
    with pytest.raises(UnreadableReply, match="characters"):
        parse_reply(lecture)


@for_each("mark", [".", '"', "`", ". ", "*_"])
def test_punctuation_is_no_answer(mark: str) -> None:
    assert parse_reply(mark * 200) is None


@given(st.text())
def test_any_reply_is_an_answer_an_abstention_or_unreadable(reply: str) -> None:
    try:
        answer = parse_reply(reply)
    except UnreadableReply:
        return
    assert answer is None or (answer == answer.strip() and answer and "\n" not in answer)


@given(st.text(max_size=200))
def test_an_answer_is_part_of_the_reply(reply: str) -> None:
    try:
        assert (parse_reply(reply) or "") in reply
    except UnreadableReply:
        return
