"""Which inputs are questions, several in one, and key words spelt out."""

import time

from hypothesis import given
from hypothesis import strategies as st

from answering.questions.coordination import coordinated_names
from answering.questions.courtesy import without_courtesy
from answering.questions.key_words import whole_question
from answering.questions.kind import QuestionKind, question_kind
from answering.questions.parts import MOST_PARTS, question_parts
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
                "thanks so much, that was exactly what I needed", "who cares", "Esk is the capital of Brin.",
                "Kind regards, Ada Dahl", "test test 1 2",
            ],
        ),
        (
            QuestionKind.NO_SUBJECT,
            [
                "Are you sure?", "Why?", "And its length?", "What is the length of the", "Where was he born?",
                "What about the others?", "And of Chile?",
                "Could you elaborate?", "where exactly?", "how about kaluga", "which of the two is older?",
                "where did you get that number from?", "sorry i meant the age, how old is it",
                "What is the currency of the capital of the?",
            ],
        ),
        (QuestionKind.NO_WORDS, ["???", "12345", "", "area of of of"]),
        (
            QuestionKind.QUESTION,
            [
                "Who built the mill?", "mill builder", "Hi, who built the mill?", "Thanks! Who built the mill?",
                "I want to know who built the mill.", "The mill was built in which year?", "Is there a mill in Esk?",
                "How long does it take to boil an egg?", "Where was Ada born?", "Tell me who built the mill",
                "Is it true that the mill burnt down?", "Wer hat die Mühle gebaut?", "Who said that the mill burnt?",
                "I always forget this, but which town is the mill in",
                '"Who built the mill?"', "uh what was it again the uh builder of the mill", "ok so what is the mill",
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


@for_each(
    ("question", "parts"),
    [
        (
            "Who designed the lighthouse and when was it opened?",
            ("Who designed the lighthouse?", "when was it opened?"),
        ),
        (
            "Who designed Skerrow and when did its lamp first burn?",
            ("Who designed Skerrow?", "when did Skerrow's lamp first burn?"),
        ),
        ("When and where was Ada Dahl born?", ("When was Ada Dahl born?", "where was Ada Dahl born?")),
        ("Who built the mill? Who owns the mill?", ("Who built the mill?", "Who owns the mill?")),
        ("Who is the mayor of Esk? And of Brin?", ("Who is the mayor of Esk?", "Who is the mayor of Brin?")),
        (
            "What are the capitals of Norway and Sweden?",
            ("What is the capital of Norway?", "What is the capital of Sweden?"),
        ),
        (
            "What is the length and the height of the Brin Bridge?",
            ("What is the length of the Brin Bridge?", "What is the height of the Brin Bridge?"),
        ),
        ("What are Norway's capital and currency?", ("What is Norway's capital?", "What is Norway's currency?")),
        ("What's the age of Esk and its length?", ("What's the age of Esk?", "What's Esk's length?")),
        ("Esk's mayor as well as its age", ("Esk's mayor?", "Esk's age?")),
        ("Who built Brin, also who owns it?", ("Who built Brin?", "who owns Brin?")),
        ("Esk: mayor, age", ("Esk's mayor?", "Esk's age?")),
        ("two things about Esk: mayor and age", ("Esk's mayor?", "Esk's age?")),
        (
            "In Esk, who is the mayor and what is the age?",
            ("In Esk, who is the mayor?", "In Esk, what is the age?"),
        ),
        ("Who is the mayor of Esk? And the age?", ("Who is the mayor of Esk?", "the age of Esk?")),
        ("Who is the mayor of Esk (and of Brin)?", ("Who is the mayor of Esk?", "Who is the mayor of Brin?")),
        ("Who is the mayor of Esk? What about Brin?", ("Who is the mayor of Esk?", "Who is the mayor of Brin?")),
        ("When did Esk burn and when did Brin?", ("When did Esk burn?", "When did Brin burn?")),
        ("quick one: mayor of Esk and its age?", ("mayor of Esk?", "Esk's age?")),
        ("On Esk: mayor? age?", ("Esk's mayor?", "age of Esk?")),
        (
            "I wanna know the mayor of Esk and how old the town is",
            ("I wanna know the mayor of Esk?", "how old Esk is?"),
        ),
        ("Give me Esk's mayor, Brin's age", ("Give me Esk's mayor?", "Give me Brin's age?")),
        ("What are Esk's and Brin's ages?", ("What is Esk's age?", "What is Brin's age?")),
        ("what is the age of esk what is the age of brin", ("what is the age of esk?", "what is the age of brin?")),
        ("What is the age of Esk. And of Brin?", ("What is the age of Esk.", "What is the age of Brin?")),
        ("a) mayor of Esk b) mayor of Brin", ("mayor of Esk", "mayor of Brin")),
        ("Give me both the mayor and the age of Esk.", ("Give me the mayor of Esk?", "Give me the age of Esk?")),
        (
            "My son wants the mayor of Esk and the age of Brin",
            ("My son wants the mayor of Esk?", "My son wants the age of Brin?"),
        ),
        ("mayor Esk + age Esk", ("mayor Esk?", "age Esk?")),
        ("the code for Esk and the one for Brin", ("the code for Esk?", "the code for Brin?")),
        ("For my quiz tonight: 1) who built Brin 2) who owns Esk", ("who built Brin", "who owns Esk")),
        ("I move to Esk. Who is mayor? Who sings?", ("I move to Esk. Who is mayor?", "I move to Esk. Who sings?")),
        (
            "Port Esk is in which country, and what money do they use there?",
            ("Port Esk is in which country?", "what money do they use in Port Esk?"),
        ),
        (
            "Where is Brin, and what are the mayor, age and length of Esk?",
            ("Where is Brin?", "what is the mayor of Esk?", "what is age of Esk?", "what is length of Esk?"),
        ),
        ("Where is Esk and what's the mayor's name?", ("Where is Esk?", "what's the mayor's name?")),
        ("How old is Esk and what's the height?", ("How old is Esk?", "what's the height of Esk?")),
        ("Who is mayor of Esk? Of Brin?", ("Who is mayor of Esk?", "Who is mayor of Brin?")),
        ("Esk's mayor and Brin's?", ("Esk's mayor?", "Brin's mayor?")),
        ("Who is Esk's mayor? What is Brin's?", ("Who is Esk's mayor?", "Who is Brin's mayor?")),
        ("population and area of kaluga", ("population of kaluga?", "area of kaluga?")),
        ("What is the age of Esk and the length of Brin?", ("What is the age of Esk?", "What is the length of Brin?")),
        ("mayor of Esk, mayor of Brin", ("mayor of Esk?", "mayor of Brin?")),
        ("How many people live in Esk and in Brin?", ("How many people live in Esk?", "How many people live in Brin?")),
        ("How old are Esk and Brin?", ("How old is Esk?", "How old is Brin?")),
        ("I need the age of Esk. I also want its length.", ("the age of Esk.", "Esk's length.")),
        ("Who built the mill and also the age of Esk", ("Who built the mill?", "the age of Esk?")),
        (
            "whats the mayor of kaluga what language do they speak and what is the age thanks",
            ("what is the mayor of kaluga?", "what language do they speak in kaluga?", "what is the age of kaluga?"),
        ),
        (
            "alexa who is mayor of kaluga and um what is next to it",
            ("who is mayor of kaluga?", "what is next to kaluga?"),
        ),
        ("What is the age of Esk and should I marry?", ("What is the age of Esk?", "should I marry?")),
        (
            "I need two things about Esk: the mayor and the age.",
            ("What is the mayor of Esk?", "What is the age of Esk?"),
        ),
        ('My teacher asked "How old is Esk?" and "Who owns Brin?" - help', ("How old is Esk?", "Who owns Brin?")),
        (
            "Dear Sir, could you tell me how old Esk is. Furthermore I'd like to know what is made there. Thank you",
            ("how old Esk is.", "what is made in Esk."),
        ),
        ("kaluga mayor?? and age?? need it for hw", ("kaluga mayor??", "age of kaluga?")),
        ("Is Brin in Esk or in Orm and what is made there?", ("Is Brin in Esk or in Orm?", "what is made in Brin?")),
    ],
)
def test_several_questions(question: str, parts: tuple[str, ...]) -> None:
    assert question_parts(question) == parts


@for_each(
    "question",
    [
        "Who built the mill?",
        "What is the capital of Trinidad and Tobago?",
        "Who is the man who built the mill and who owned it?",
        "Which is older, the mill or the church?",
        "What do salt and pepper cost?",
        "Who wrote War and Peace?",
        "Who owns Brin & Dahl?",
        "Who built the mill? 1",
        "What is the population of Esk and Brin?",
        "Who is the mayor of Esk and the owner of the mill?",
        "Who defeated the combined forces of Esk and Brin?",
        "When the mill sank, who was aboard?",
        "What is the average rainfall in Esk, in millimetres?",
        "What do Esk and Brin have in common?",
        "Are Esk and Brin in Norway?",
        "Which mill is old and is red?",
        "In which part of the U.S. does R. J. Dahl live?",
        "Who runs Dahl, Inc. is asked where?",
    ],
)
def test_one_question_stays_whole(question: str) -> None:
    assert question_parts(question) == (question,)


def test_names_known_to_be_two_are_asked_for_one_by_one() -> None:
    question = "What is the population of Esk and Brin?"
    assert list(coordinated_names(question)) == [("Esk", "Brin")]
    assert question_parts(question, {("Esk", "Brin")}) == (
        "What is the population of Esk?",
        "What is the population of Brin?",
    )


def test_a_question_is_spelt_out_without_its_greeting() -> None:
    assert question_parts("hi, whats the name of the mill?") == ("what is the name of the mill?",)
    assert question_parts("for a quiz of ours: who owns Brin, please?") == ("who owns Brin?",)


@given(st.text(max_size=300))
def test_any_input_has_parts(text: str) -> None:
    assert 1 <= len(question_parts(text)) <= MOST_PARTS


@for_each(
    ("said", "asked"),
    [
        ("Ada Dahl sang last week. In which city did it take place?", None),
        ("Fans remember Ada Dahl. Which opera did Dahl star in?", "Which opera did Dahl star in?"),
        ("The mill of Esk burnt down. Who built the Brin Bridge?", "Who built the Brin Bridge?"),
    ],
)
def test_what_is_said_before_a_question_is_no_question(said: str, asked: str | None) -> None:
    assert question_parts(said) == (asked or said,)


@for_each(
    "text",
    [
        "a" + "," * 10_000, "a" + " " * 10_000 + "b", "who " + ", " * 5_000 + "x", "a" + "-" * 10_000,
        "who is and " * 900 + "?", "what x do " * 1_000 + "?", "that " + "what i " * 1_400 + "?",
    ],
)  # fmt: skip
def test_no_input_takes_long(text: str) -> None:
    """Each took 2 to 40 seconds of the event loop while a rule began anew at every one of its marks or clauses."""
    began = time.process_time()
    question_kind(text)
    question_parts(text)
    assert time.process_time() - began < 1.5
