"""Questions for yes or no."""

from collections.abc import Sequence

import pytest

from answering.enums import AbstentionReason
from answering.judges import Judgement, Label, Pair, Quote
from answering.readers.english.subject_check import SubjectCheck
from answering.readers.reader import Reading
from answering.readers.yes_no import denies, read_yes_no
from tests.fakes.scripted_judge import ScriptedJudge
from tests.tables import for_each

CLAIM = "the mill old."
NEW, OLD = "The mill is new.", "It is an old mill."


async def _read(labels: dict[str, Label]) -> Reading:
    judge = ScriptedJudge({(CLAIM, passage): label for passage, label in labels.items()})
    return await read_yes_no(judge, "Is the mill old?", list(labels))


@pytest.mark.parametrize(("label", "answer"), [(Label.SUPPORTS, "Yes"), (Label.CONTRADICTS, "No")])
async def test_the_statement_is_judged(label: Label, answer: str) -> None:
    reading = await _read({NEW: Label.IRRELEVANT, OLD: label})
    assert (reading.answer, reading.reason) == (answer, None)


async def test_it_abstains_where_the_passages_say_neither() -> None:
    for labels in ({NEW: Label.IRRELEVANT}, {NEW: Label.REPORTS}, {}):
        reading = await _read(labels)
        assert (reading.answer, reading.reason) == (None, AbstentionReason.UNDECIDED)


class _Unsure:
    """Supports with a probability of 0.4."""

    name = "unsure"

    async def judge_all(self, pairs: Sequence[Pair]) -> list[Judgement]:
        return [Judgement(Label.SUPPORTS, 0.4, 0.3, 0.0, 0.3) for _ in pairs]

    async def aclose(self) -> None:
        """Nothing to close."""


async def test_it_abstains_where_the_judge_is_unsure() -> None:
    reading = await read_yes_no(_Unsure(), "Is the mill old?", [OLD])
    assert (reading.answer, reading.confidence) == (None, 0.4)


def test_passages_about_something_else_are_not_judged() -> None:
    passages = ["An old mill grinds.", "The old church."]
    assert SubjectCheck("Can old mills grind?", passages, ["", ""]).speaking == [0]


async def test_yes_needs_a_line_that_mentions_every_name() -> None:
    question, austria = "Is Vienna the capital of Hungary?", "The capital of Austria is Vienna."
    hungary, history = "Hungary's government sits in Vienna.", "Its union with Hungary ended.\n\nVienna is its capital."
    subject = SubjectCheck(question, [austria, hungary, history], ["", "", ""])
    assert subject.speaking == [0, 1, 2]
    assert [subject.mentions_all(index) for index in subject.speaking] == [False, True, False]
    assert SubjectCheck(question, ["Its capital is Vienna."], ["Hungary"]).mentions_all(0)
    texts = ["It had a union with Sweden.", "It joined the Union.", "It joined the EU."]
    union = SubjectCheck("Is Norway in the European Union?", texts, ["Norway"] * 3)
    assert [union.mentions_all(index) for index in range(3)] == [False, True, True]
    judge = ScriptedJudge({("Vienna the capital of Hungary.", austria): Label.SUPPORTS})
    assert (await read_yes_no(judge, question, [austria])).answer == "Yes"
    assert (await read_yes_no(judge, question, [austria], lambda _index, _judgement: False)).answer is None


async def test_no_needs_a_passage_on_what_is_asked() -> None:
    question, passage = "Does Austria use the crown?", "The crown is not used."
    titles = ["Hungary", "Austria", "", "Money that is used"]
    may_deny = [SubjectCheck(question, [passage], [title]).may_deny(0) for title in titles]
    assert may_deny == [False, True, True, True]
    judge = ScriptedJudge({("Austria use the crown.", passage): Label.CONTRADICTS})
    assert (await read_yes_no(judge, question, [passage])).answer == "No"
    assert (await read_yes_no(judge, question, [passage], lambda _index, _judgement: False)).answer is None


@for_each(
    ("title", "quote", "may_affirm"),
    [
        ("Norway", "It joined the Union.", True),
        ("Norway", "It joined the EU in 1994.", True),
        ("Norway", "It left a union with Sweden.", False),
        ("Norway", "European powers honoured it.", False),
        ("Norway", "It was founded in 872.", False),
        ("", "Norway joined the EU.", True),
        ("", "It joined the EU.", True),
        ("", "It was founded in 872.", False),
    ],
)
def test_yes_needs_a_sentence_that_mentions_the_names(title: str, quote: str, may_affirm: bool) -> None:
    passage = f"Norway was asked to join the European Union. {quote}"
    assert SubjectCheck("Is Norway in the European Union?", [passage], [title]).may_affirm(0, quote) is may_affirm


@pytest.mark.parametrize(("which", "answer"), [("first", "Yes"), ("second", None)])
async def test_yes_needs_a_sentence_that_says_which_of_several(which: str, answer: str | None) -> None:
    question, passage = f"Was Ada the {which} mayor of Lyng?", "Ada was the first mayor of Lyng."
    verdict = Judgement.certain(Label.SUPPORTS, Quote(0, len(passage), passage))
    reading = await read_yes_no(ScriptedJudge(lambda _pair: verdict), question, [passage])
    assert reading.answer == answer


async def test_a_sentence_that_denies_what_it_seems_to_support_says_no() -> None:
    question, denial = "Is Lyng landlocked?", "Lyng is not landlocked."
    verdict = Judgement.certain(Label.SUPPORTS, Quote(0, len(denial), denial))
    judge = ScriptedJudge({("Lyng landlocked.", denial): verdict})
    reading = await read_yes_no(judge, question, [denial])
    assert (reading.answer, reading.confidence) == ("No", 1.0)


@for_each(
    ("sentence", "denied"),
    [
        ("The mill isn\u2019t old.", True),
        ("The mill of Lyng was never an old one.", True),
        ("The mill is old.", False),
        ("The mill is old, not red.", False),
        ("An old mill is not red, but old.", False),
        ("The church is not old.", False),
    ],
)
def test_what_denies_that_the_mill_is_old(sentence: str, denied: bool) -> None:
    assert denies(sentence, CLAIM) is denied
    assert not denies(sentence, "the mill never old.")


@for_each(
    ("title", "quote", "may_affirm"),
    [
        ("Skerrow", "It lies inland, far from the sea.", True),
        ("", "Skerrow is landlocked.", True),
        ("Brin", "Skerrow is landlocked, as Brin is.", True),
        ("Brin", "Coastline of Brin: none (landlocked, with Skerrow)", False),
        ("Brin", "Brin saw unrest in Skerrow.", False),
        ("Brin", "It is landlocked.", False),
        ("South Skerrow", "South Skerrow is landlocked.", False),
    ],
)
def test_yes_needs_words_on_what_is_asked_on_a_page_on_something_else(title: str, quote: str, may_affirm: bool) -> None:
    passage = f"{quote}\nOf Skerrow."
    assert SubjectCheck("Is Skerrow landlocked?", [passage], [title]).may_affirm(0, quote) is may_affirm
