"""Which documents an answer stands in."""

from answering.debates.protocol import SourceDocument
from answering.debates.support import AnswerPolicy, check_support, class_keys, contains_phrase, contains_words
from answering.equivalence import ClassPolicy
from tests.tables import for_each

FOOTBALLER = SourceDocument("1", "James Tilley (born 1998) is an English professional footballer.")
LEAGUE = SourceDocument("2", "James Tilley is a rugby league footballer who plays on the wing.")
CRICKETER = SourceDocument("3", "The cricketer James Tilley has 1,234 runs.")
ALL = (FOOTBALLER, LEAGUE, CRICKETER)


@for_each(
    ("answer", "text", "verbatim", "words"),
    [
        ("rugby league", LEAGUE.text, True, True),
        ("Rugby League.", LEAGUE.text, True, True),
        ("football", LEAGUE.text, False, True),
        ("league rugby", LEAGUE.text, False, True),
        ("chess", LEAGUE.text, False, False),
        ("1,234", CRICKETER.text, True, True),
        ("1234 runs", CRICKETER.text, True, True),
        ("123", CRICKETER.text, False, False),
        ("199", FOOTBALLER.text, False, False),
        ("foot", FOOTBALLER.text, False, False),
        ("", FOOTBALLER.text, False, False),
        ("the", FOOTBALLER.text, False, False),
        ("东京", "他住在东京。", False, True),
    ],
)
def test_standing(answer: str, text: str, verbatim: bool, words: bool) -> None:
    assert (contains_phrase(text, answer), contains_words(text, answer)) == (verbatim, words)


def test_agents_tell_better_than_words_what_their_documents_say() -> None:
    agent_answers = {"1": "football", "2": "rugby league", "3": None}
    support = check_support(["Football", "rugby league"], ALL, AnswerPolicy(), agent_answers)
    assert [(answer.answer, answer.documents) for answer in support.answers] == [
        ("Football", ("1",)),
        ("rugby league", ("2",)),
    ]


def test_without_agents_words_do() -> None:
    support = check_support(["football", "rugby league", "Chess", "chess"], ALL, AnswerPolicy())
    assert [(answer.answer, answer.documents) for answer in support.answers] == [
        ("football", ("1", "2")),
        ("rugby league", ("2",)),
    ]
    assert support.unsupported == ("Chess",)


def test_a_later_spelling_may_stand_where_the_first_does_not() -> None:
    support = check_support(["one thousand two hundred and thirty-four", "1234"], ALL, AnswerPolicy())
    assert [(answer.answer, answer.documents) for answer in support.answers] == [("1234", ("3",))]
    assert support.unsupported == ()


def test_answers_count_as_what_was_asked_for() -> None:
    policy = AnswerPolicy(question="What is the currency of Norway?")
    keys = class_keys(["Norwegian kroner", "NOK", "Danish kroner"], policy)
    assert keys["Norwegian kroner"] == keys["NOK"] != keys["Danish kroner"]


def test_a_rounded_number_is_one_answer_with_an_exact_one_under_rounded() -> None:
    counts = (SourceDocument("1", "It has 83,887 seats."), SourceDocument("2", "It has 84,000 seats."))
    agent_answers = {"1": "83,887", "2": "84,000"}
    support = check_support(["83,887", "84,000"], counts, AnswerPolicy(ClassPolicy.ROUNDED), agent_answers)
    assert len(support.answers) == 1


def test_what_no_document_supports_is_kept_if_no_support_is_required() -> None:
    kept = check_support(["chess", "rugby league"], ALL, AnswerPolicy(requires_support=False))
    assert [(answer.answer, answer.documents) for answer in kept.answers] == [("chess", ()), ("rugby league", ("2",))]
    assert not kept.unsupported
