"""Questions with web results: the sites, what counts as right, and why an answer is not."""

from benchmarks.web.questions import WebQuestion, WebResult
from benchmarks.web.service import MethodAnswer
from benchmarks.web.tables import MISREAD, NO_PAGE, NOT_ASKED, OUTVOTED, loss
from tests.tables import for_each

QUESTION = WebQuestion(
    "7",
    "Who built the mill of Lyng?",
    golds=("Tora Myhre",),
    wrong="Lars Dahl",
    wrong_texts=("Lars Dahl built the mill of Lyng.",),
    results=(WebResult("lyng.example", "The mill", "Built by Tora Myhre in 1874."),),
)


@for_each(
    ("answer", "right", "wrong"),
    [
        ("Tora Myhre", True, False),
        ("the miller Tora Myhre of Lyng", True, False),
        ("Myhre", True, False),
        ("Dahl", False, True),
        ("Tora Myhre, not Lars Dahl", True, False),
        ("Tor", False, False),
        ("?", False, False),
        (None, False, False),
    ],
)
def test_an_answer_is_right_if_it_contains_a_right_one_or_the_reverse(
    answer: str | None, right: bool, wrong: bool
) -> None:
    assert (QUESTION.is_right(answer), QUESTION.is_wrong(answer)) == (right, wrong)


def test_why_an_answer_is_not_right() -> None:
    other = WebQuestion("8", "Who?", ("Ada Moe",), "", (), QUESTION.results)
    assert loss(QUESTION, MethodAnswer("Tora Myhre"), []) is None
    assert loss(QUESTION, MethodAnswer("1874", votes=("1874", "Tora Myhre")), []) == OUTVOTED
    assert loss(QUESTION, MethodAnswer("1874", votes=("1874",)), ["1874", "Myhre"]) == NOT_ASKED
    assert loss(QUESTION, MethodAnswer("1874", votes=("1874",)), ["1874"]) == MISREAD
    assert loss(other, MethodAnswer(None), []) == NO_PAGE
