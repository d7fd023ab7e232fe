"""Variants of a question by the number of documents that state an answer."""

from answering.debates.protocol import SourceDocument
from benchmarks.data.ramdocs import Question
from benchmarks.debate.sweeps import Sweep, imbalanced, misinformed

TEXTS = {
    "Golf was his game.": "Golf",
    "He was a golf champion.": "Golf",
    "Few played golf as he did.": "Golf",
    "He pitched baseball for Boston.": "Baseball",
    "He played cricket, some say.": "Cricket",
}
QUESTION = Question(
    id="q",
    text="What sport did he play?",
    documents=tuple(SourceDocument(str(number), text) for number, text in enumerate(TEXTS, 1)),
    kinds=("correct",) * 4 + ("misinfo",),
    stated=tuple(TEXTS.values()),
    gold=("Golf", "Baseball"),
    wrong=("Cricket",),
)


def texts(sweep: Sweep) -> dict[int, list[str]]:
    return {count: [each.text for each in question.documents] for count, (question,) in sweep.variants.items()}


def test_one_right_answer_has_more_and_more_documents() -> None:
    golf = list(TEXTS)[:3]
    baseball = list(TEXTS)[3]
    assert texts(imbalanced([QUESTION])) == {count: [*golf[:count], baseball] for count in (1, 2, 3)}


def test_misinformation_states_one_wrong_answer_and_is_dealt_to_bad_sources_mostly() -> None:
    sweep = misinformed([QUESTION])
    right = ["Golf was his game.", "He pitched baseball for Boston."]
    false = ["He played cricket, some say.", "Cricket was his game.", "He was a Cricket champion."]
    assert texts(sweep) == {count: [*right, *false[:count]] for count in range(4)}
    assert all(question.gold == ("Golf", "Baseball") for (question,) in sweep.variants.values())
    (most,) = sweep.variants[3]
    assert most.wrong == ("Cricket",)
    assert {document.reliability for document in most.documents[2:]} >= {0.1}


def test_a_question_without_enough_documents_is_left_out() -> None:
    poor = Question("p", QUESTION.text, QUESTION.documents[3:], ("correct", "misinfo"), ("Baseball", "Cricket"),
                    ("Baseball",), ("Cricket",))  # fmt: skip
    assert not imbalanced([poor]).variants
    assert not misinformed([poor]).variants
