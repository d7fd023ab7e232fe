"""Names that nobody wrote of, inputs that are no single question, majorities, and exchanged subjects."""

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

from benchmarks.subjects.capitals import majority
from benchmarks.subjects.exchange import Case, exchanged, names, subject_of
from benchmarks.subjects.inputs import Sent, Treatment, is_right, is_treated
from benchmarks.subjects.service import Reply, reply_of
from tests.tables import for_each

WITHOUT = Reply("hi", (), reason="not_a_question")
ANSWERED = Reply("hi", ("Paris",), 0.9)
TWO_PARTS = Reply("both", (), parts=(Reply("first", ("Lyng",)), Reply("second", ())))


class LetterEmbedder:
    """Counts letters, so that similar spellings are near."""

    name = "letters"
    dimension = 26

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        letters = "abcdefghijklmnopqrstuvwxyz"
        return np.array([[text.casefold().count(letter) for letter in letters] for text in texts], dtype=np.float32)

    async def aclose(self) -> None:
        """Nothing is open."""


@for_each(
    ("expected", "reply", "treated"),
    [
        (Treatment.NOT_A_QUESTION, WITHOUT, True),
        (Treatment.NOT_A_QUESTION, ANSWERED, False),
        (Treatment.NOT_A_QUESTION, Reply("hi", (), reason="nobody_answered"), False),
        (Treatment.FOLLOW_UP, Reply("And then?", (), reason="no_subject"), True),
        (Treatment.NONSENSE, Reply("?", (), reason="nobody_answered"), True),
        (Treatment.QUESTION, ANSWERED, True),
        (Treatment.QUESTION, WITHOUT, False),
        (Treatment.QUESTION, TWO_PARTS, False),
    ],
)
def test_how_inputs_should_be_treated(expected: Treatment, reply: Reply, treated: bool) -> None:
    assert is_treated(Sent(expected, "", ()), reply) is treated


@for_each(
    ("parts", "treated", "right"),
    [
        ((("Lyng",), ("-",)), True, True),
        ((("Myhre",), ("-",)), True, False),
        ((("*",), ("*",)), True, True),
        ((("Lyng",), ("Dahl",)), False, False),
        ((("Lyng",), ("-",), ("-",)), False, False),
    ],
)
def test_each_part_is_answered_or_has_no_answer(parts: tuple[tuple[str, ...], ...], treated: bool, right: bool) -> None:
    sent = Sent(Treatment.PARTS, "", parts)
    assert (is_treated(sent, TWO_PARTS), is_right(sent, TWO_PARTS)) == (treated, right)


def test_a_reply_has_the_parts_of_results_that_have_some() -> None:
    part = SimpleNamespace(question="Capital?", answers=("Lyng",))
    result = SimpleNamespace(
        answers=(), confidence=0.0, no_answer=SimpleNamespace(code="unknown_subject"), parts=[part]
    )
    reply = reply_of("Both?", result)
    assert (reply.reason, reply.parts) == ("unknown_subject", (Reply("Capital?", ("Lyng",)),))
    assert reply_of("One?", SimpleNamespace(answers=("Lyng",), confidence=0.5)) == Reply("One?", ("Lyng",), 0.5)


def test_the_majority_is_of_answer_classes() -> None:
    assert majority("?", ["Lyng", "lyng", "Dahl"]) == Reply("?", ("Lyng",), 2 / 3)
    assert majority("?", []) == Reply("?", ())


@for_each(
    ("question", "subject"),
    [
        ("Who built the mill of Lyng?", "Lyng"),
        ('Who is the artist of "Plays Well with Others"?', "Plays Well with Others"),
        ("Who composed String Quintet No. 2?", "String Quintet No. 2"),
        ("What is the University of North Lyng known for?", "University of North Lyng"),
        ("Why is it so?", None),
    ],
)
def test_the_subject_is_what_is_quoted_or_the_longest_name(question: str, subject: str | None) -> None:
    found = subject_of(question)
    assert (found and found.text) == subject


def test_a_word_that_only_begins_a_sentence_is_no_name() -> None:
    assert [name.text for name in names("Mills are old. They say Tora Myhre built one in May.")] == ["Tora Myhre"]


def test_subjects_are_exchanged_for_names_outside_and_elsewhere_in_the_passage() -> None:
    passage = "The mill of Lyng was built by Tora Myhre. The one near Dahl is older."
    cases = [
        Case("Who built the mill of Lyng?", passage, (30, 40)),
        Case("Who built the mill of Ling?", "Lars built the mill of Ling.", (0, 4)),
        Case("Who built the mill of Dahl?", "Nobody built it.", (0, 6)),
        Case("Why is it so?", "Because.", (0, 7)),
    ]
    first, *_, last = asyncio.run(exchanged(LetterEmbedder(), cases))
    assert first.other == "Who built the mill of Ling?"
    assert first.near == "Who built the mill of Dahl?"
    assert (last.other, last.near) == (None, None)
