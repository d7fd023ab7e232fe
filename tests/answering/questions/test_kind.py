"""Which inputs are questions, and key words spelt out."""

from hypothesis import given
from hypothesis import strategies as st

from answering.questions.key_words import whole_question
from answering.questions.kind import QuestionKind, question_kind, without_courtesy
from tests.tables import for_each


@for_each(
    ("kind", "texts"),
    [
        (
            QuestionKind.NOT_A_QUESTION,
            [
                "hi", "Good evening!", "thank you so much", "ok", "Write a story about the harbour", "I like Esk.",
                "You are mistaken.", "who are you", "Tell me a joke", "Please translate this into Danish",
                "Can I ask you something?", "What can I ask here?", "muchas gracias", "Convert this file to PDF",
            ],
        ),
        (
            QuestionKind.NO_SUBJECT,
            [
                "Are you sure?", "Why?", "And its length?", "What is the length of the", "Where was he born?",
                "What about the others?", "And of Chile?",
                "Could you elaborate?", "where exactly?", "What is the currency of the capital of the?",
            ],
        ),
        (QuestionKind.NO_WORDS, ["???", "12345", ""]),
        (
            QuestionKind.QUESTION,
            [
                "Who built the mill?", "mill builder", "Hi, who built the mill?", "Thanks! Who built the mill?",
                "I want to know who built the mill.", "The mill was built in which year?", "Is there a mill in Esk?",
                "How long does it take to boil an egg?", "Where was Ada born?", "Tell me who built the mill",
                "Is it true that the mill burnt down?", "Wer hat die Mühle gebaut?", "Who said that the mill burnt?",
                "I always forget this, but which town is the mill in",
            ],
        ),
    ],
)  # fmt: skip
def test_kinds(kind: QuestionKind, texts: list[str]) -> None:
    assert {text: question_kind(text) for text in texts} == dict.fromkeys(texts, kind)


@given(st.text(max_size=300))
def test_any_input_has_a_kind(text: str) -> None:
    assert question_kind(text) in QuestionKind


def test_a_greeting_before_a_question_is_left_out() -> None:
    assert without_courtesy("Hello there, who built it?") == "who built it?"
    assert without_courtesy("hi") == "hi"


@for_each(
    ("text", "question"),
    [
        ("mayor Esk", "What is the mayor of Esk?"),
        ("kaluga population?", "What is the population of kaluga?"),
        ("the mayor of Esk", "What is the mayor of Esk?"),
        ("Esk's mayor", "What is the mayor of Esk?"),
        ("My son wants to know the mayor of Esk, bless him", "What is the mayor of Esk?"),
        ("Who is the mayor of Esk?", "Who is the mayor of Esk?"),
        ("Ada Dahl", "Ada Dahl"),
        ("symptoms of flu", "symptoms of flu"),
        ("asdf jkl qwer", "asdf jkl qwer"),
    ],
)
def test_key_words_are_spelt_out(text: str, question: str) -> None:
    assert whole_question(text) == question
