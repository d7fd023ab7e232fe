"""Parsers against what small models write, and against garbage."""

import re
import time
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from answering.debates.parsing.answers import AgentAnswer, AnswerList, parse_agent_answer, parse_answers
from answering.debates.parsing.passages import GroupAnswers, parse_group_answers, parse_groups, parse_passages
from answering.debates.parsing.replies import MAX_CHARACTERS, QueryChange, parse_query_change, parse_verdict
from answering.errors import UnreadableReply
from answering.readers.reply import parse_reply
from tests.tables import for_each

UNREADABLE = "unreadable"
SIDES = ("proponent", "challenger")


@for_each(
    ("reply", "answer", "reason"),
    [
        ("Answer: 1963\nBecause: it says so", "1963", "it says so"),
        ("**Answer:** 1963. **Explanation:** the text", "1963", "the text"),
        ("Answer: {1963}. Explanation: {because}.", "1963", "{because}."),
        ("- answer = Lena Dahl", "Lena Dahl", ""),
        ('Final answer: "Lena Dahl".', "Lena Dahl", ""),
        ("Answer: 3,559 people. Because: the census of 2010.", "3,559 people", "the census of 2010."),
        ("```\nAnswer: A\n```", "A", ""),
        ("<think>Answer: no</think>Answer: yes", "yes", ""),
        ("Lena Dahl", "Lena Dahl", ""),
        ("Answer: <1963>\nBecause: x", "1963", "x"),
        ("Answer: unknown\nBecause: silence", None, "silence"),
        ("Answer: The document does not mention the population.", None, ""),
        ("Answer: There is no information about it in the document.", None, ""),
        ("The document does not mention it.", None, ""),
        ("Answer: No Country for Old Men", "No Country for Old Men", ""),
        ("Answer: one\nAnswer: two\nBecause: x", "one", "x"),
        # As Qwen2.5-Coder-1.5B writes it.
        (
            "Answer: football. Because: James Tilley is described as a forward.",
            "football",
            "James Tilley is described as a forward.",
        ),
        (
            'Answer: football\nBecause: James Tilley is described as a "footballer".',
            "football",
            'James Tilley is described as a "footballer".',
        ),
    ],
)
def test_positions(reply: str, answer: str | None, reason: str) -> None:
    position = parse_agent_answer(reply)
    assert position is not None
    assert (position.answer, position.reason) == (answer, reason)


@for_each(
    "reply",
    ["", "   \n", "Answer:", "Answer:\nBecause: x", "A reply\nof two lines", "word " * 30, "Answer: " + "long " * 200],
)
def test_no_positions(reply: str) -> None:
    assert parse_agent_answer(reply) is None


@for_each(
    ("reply", "answers"),
    [
        ('All Correct Answers: ["1963", "1956"]. Explanation: Agent 1 ...', ("1963", "1956")),
        ('Answers: ["3,559", "3,506"]', ("3,559", "3,506")),
        ("Answers: [3,559]", ("3,559",)),
        ("Answers: [1963, 1956]", ("1963", "1956")),
        ("Answers: [Lake County, Iredell]", ("Lake County", "Iredell")),
        ("Answers: [3,559 people, 12 dogs]", ("3,559 people", "12 dogs")),
        ("Answers: ['Paris', 'O'Hara']", ("Paris", "O'Hara")),
        ('Answers: ["a", "b"', ("a", "b")),
        ("Answers:\n- A\n- B\nExplanation: d", ("A", "B")),
        ("Answers:\n1. A\n2. B", ("A", "B")),
        ("**Answers:** A; B", ("A", "B")),
        ("Answer: Paris, Texas", ("Paris, Texas",)),
        ("Answers: May 3, 1999, and June 1, 2001", ("May 3, 1999", "June 1, 2001")),
        ("Answers: Sammy Davis, Jr.", ("Sammy Davis, Jr",)),
        ("Answers: St. Louis Cardinals", ("St. Louis Cardinals",)),
        ('["a", "a"]', ("a",)),
        ("[]", ()),
        (
            'Answers: ["football", "cricket"]\nExplanation: James Tilley plays football and cricket.',
            ("football", "cricket"),
        ),
        ('```json\n["a"]\n```', ("a",)),
        ("Answers: []\nExplanation: none", ()),
        ("Answers: unknown", ()),
        ('Answers: ["unknown"]', ()),
        ('Answers: ["a", null, {"b": 1}, true]', ("a",)),
        ("", UNREADABLE),
        ("Answers:", UNREADABLE),
        ("I think it is Lena Dahl.", UNREADABLE),
        (f"Answers: {list(range(50))}", UNREADABLE),
        ('{"answers": ["a"]}', UNREADABLE),
        ("Answers: " + "[" * 5_000, UNREADABLE),
    ],
)
def test_lists_of_answers(reply: str, answers: tuple[str, ...] | str) -> None:
    parsed = parse_answers(reply)
    assert (UNREADABLE if parsed is None else parsed.answers) == answers


@for_each(
    ("reply", "side"),
    [
        ("challenger", "challenger"),
        ("Challenger.", "challenger"),
        ("**Proponent Agent**", "proponent"),
        ("The challenger agent", "challenger"),
        ("Winner: Challenger", "challenger"),
        ("Winner: **Proponent**\n\nIts documents answer the question.", "proponent"),
        ("The winner is the proponent.", "proponent"),
        ("Challenger wins", "challenger"),
        ("proponent and challenger", None),
        ("Proponent\nChallenger", None),
        ("Winner: challenger. The proponent has no evidence.", None),
        ("Proponent or challenger? Proponent.", None),
        ("I disagree with the challenger", None),
        ("The challenger is not right.", None),
        ("not the proponent", None),
        ("both", None),
        ("opponent", None),
        ("challengers", None),
        ("", None),
    ],
)
def test_verdicts_name_one_side_and_nothing_else(reply: str, side: str | None) -> None:
    assert parse_verdict(reply, SIDES) == side


@for_each(
    ("reply", "passages"),
    [
        ("I don't know.", ()),
        ("I don't know", ()),
        ("unknown", ()),
        ("I'm sorry, but I don't know the answer to that.", ()),
        ("I do not have any information about this choir.", ()),
        ("The choir of Sund was founded long ago.", ("The choir of Sund was founded long ago.",)),
        ("Passage 1: It is led by Lena.\nPassage 2: I don't know.", ("It is led by Lena.",)),
        ("**Passage 1:** one two three four\n\n**Passage 2:** five six seven eight",
         ("one two three four", "five six seven eight")),
        ("1. one two three four\n2. five six seven eight\n3. nine ten eleven twelve\n4. and one more passage",
         ("one two three four", "five six seven eight", "nine ten eleven twelve")),
    ],
)  # fmt: skip
def test_passages(reply: str, passages: tuple[str, ...]) -> None:
    assert parse_passages(reply, 3) == passages


def test_silence_is_no_passage() -> None:
    assert parse_passages("  ", 3) is None


def test_groups_name_documents_that_exist() -> None:
    groups = parse_groups("[1, 3]: both say\nLena\nGroup 2 [2]: Ivar\n- [9]: nobody\nDocuments [1 and 2] - x", 3)
    assert groups is not None
    assert [(group.documents, group.text) for group in groups] == [
        ((1, 3), "both say Lena"),
        ((2,), "Ivar"),
        ((1, 2), "x"),
    ]


@for_each("reply", ["", "no groups", "[9]: x", "[]: x", "[1]:", "[1] " * 3, "[2]: what document 2 says"])
def test_no_groups(reply: str) -> None:
    assert parse_groups(reply, 3) is None


@for_each(
    ("reply", "groups", "final"),
    [
        ("[1, 3]: Lena Dahl (90)\n[2]: Ivar Brask (20)\nFinal: Lena Dahl",
         [((1, 3), "Lena Dahl", 0.9), ((2,), "Ivar Brask", 0.2)], ("Lena Dahl",)),
        ('Group 1 [1]: 1987\nFinal: ["1987"]', [((1,), "1987", None)], ("1987",)),
        ("[1]: 42\nFinal: 42", [((1,), "42", None)], ("42",)),
        ("[1, 2] - 3,559 people, confidence: 80%\nFinal Answer: 3,559",
         [((1, 2), "3,559 people", 0.8)], ("3,559",)),
        ("[1]: unknown (0)\nFinal: unknown", [((1,), None, 0.0)], ()),
        ("[1]: Lena (95)\n[2]: Ivar (300)", [((1,), "Lena", 0.95), ((2,), "Ivar (300)", None)], None),
        ("Final: A; B", [], ("A", "B")),
        # As Qwen2.5-Coder-0.5B writes it, copying the form it was shown.
        ("[1, 3]: the answer of documents 1 and 3 (80)\nFinal: Lena Dahl", [], ("Lena Dahl",)),
        ("Final: Lena Dahl; another right answer", [], ("Lena Dahl",)),
    ],
)  # fmt: skip
def test_findings(
    reply: str, groups: list[tuple[tuple[int, ...], str | None, float | None]], final: tuple[str, ...] | None
) -> None:
    parsed = parse_group_answers(reply, 3)
    assert parsed is not None
    assert [(group.documents, group.answer, group.confidence) for group in parsed.groups] == groups
    assert parsed.final == final


PARSERS: list[tuple[Callable[[str], object], type]] = [
    (parse_agent_answer, AgentAnswer),
    (parse_answers, AnswerList),
    (lambda reply: parse_verdict(reply, SIDES), str),
    (lambda reply: parse_passages(reply, 3), tuple),
    (lambda reply: parse_groups(reply, 3), tuple),
    (lambda reply: parse_group_answers(reply, 3), GroupAnswers),
    (lambda reply: parse_query_change(reply, 3), QueryChange),
]
PIECES_REPEATED = [*" \t#*['", '"', "- ", "[1, ", "1, ", "Answer: ", " \n", "a b ", "not ", "1. ", "the ", "does not "]
PIECES = st.sampled_from(
    ["Answer:", "Answers:", "Final:", "[1, 2]", "[", "]", '"', "'", "\n", " ", "**", "#", "- ", "1.", "Because:", "->",
     "<think>", "</think>", "```", "Replace 1:", "Add:", "Passage 1:", "proponent", "challenger", "unknown", "(90)",
     "Lena", "3,559", "\x00", "\ud800", "é", ";", "|", "does not mention"]
)  # fmt: skip


@pytest.mark.parametrize(("parser", "result"), PARSERS)
@given(reply=st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=30).map("".join)))
def test_any_reply_is_parsed_or_unreadable(parser: Callable[[str], object], result: type, reply: str) -> None:
    parsed = parser(reply)
    assert parsed is None or isinstance(parsed, result)


@given(reply=st.lists(PIECES, max_size=30).map("".join))
def test_what_is_parsed_keeps_its_promises(reply: str) -> None:
    position, answers, findings = parse_agent_answer(reply), parse_answers(reply), parse_group_answers(reply, 3)
    kept = [
        answer for answer in [position.answer if position else None, *(answers.answers if answers else ())] if answer
    ]
    assert all(answer.strip() and "\n" not in answer and len(answer) <= 500 for answer in kept)
    for group in findings.groups if findings else ():
        assert group.documents
        assert set(group.documents) <= {1, 2, 3}
        assert group.confidence is None or 0.0 <= group.confidence <= 1.0


@given(reply=st.lists(PIECES, max_size=30).map("".join))
@example(reply="proponent<think>challenger")
@example(reply="<think>proponent</think>challenger")
@example(reply="proponent\nLenachallenger")
@example(reply="proponent\n```challenger")
def test_a_verdict_never_names_two(reply: str) -> None:
    if parse_verdict(reply, SIDES) is not None:
        outside_thoughts = re.sub(r"(?s)<think>.*?</think>", "", reply)
        assert sum(side in outside_thoughts for side in SIDES) == 1


def test_a_verdict_is_read_after_a_thought_and_not_before_a_cut_off_one() -> None:
    assert parse_verdict("<think>proponent</think>challenger", SIDES) == "challenger"
    assert parse_verdict("proponent<think>challenger", SIDES) is None


@for_each("piece", PIECES_REPEATED)
def test_of_a_long_repetition_nothing_is_read_but_a_passage(piece: str) -> None:
    """Exponential time would exceed the limit of every test."""
    reply = (piece * 16_000)[:15_900] + "x"
    parsed = {result: parser(reply) for parser, result in PARSERS if result is not tuple}
    assert parsed.pop(AgentAnswer) == (AgentAnswer("x", "") if piece.isspace() else None)
    assert not any(parsed.values())
    assert parse_groups(reply, 3) is None
    passages = parse_passages(reply, 3)
    assert passages is not None
    assert all(passage[:100] in " ".join(reply.split()) for passage in passages)


@for_each("begin", ["", "Answers: ["])
@for_each("piece", [" ", "\n", "\t", " \n", "\u00a0", "[ ", ", ", " 'a", "“", "'"])
def test_no_reply_takes_more_than_its_length_in_time(begin: str, piece: str) -> None:
    """One eight times as long may not take 64 times the work."""

    def seconds(parse: Callable[[str], object], length: int) -> float:
        reply, started = (begin + piece * length)[: length - 1] + "x", time.process_time()
        with suppress(UnreadableReply):
            parse(reply)
        return time.process_time() - started

    for parse in (parse_reply, *(parser for parser, _ in PARSERS)):
        few = min(seconds(parse, MAX_CHARACTERS // 8) for _ in range(2))
        assert seconds(parse, MAX_CHARACTERS) < 0.05 + 24 * few
