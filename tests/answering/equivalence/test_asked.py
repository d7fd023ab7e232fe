"""What a question tells about its answers: the table of questions with pairs of answers."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from answering.equivalence import ClassPolicy, answer_key, classify
from tests.answering.equivalence.pairs import POLICIES, Meets, load_pairs
from tests.tables import for_each

ROWS = [
    (kind, *line.split("\t"))
    for block in Path(__file__).with_name("asked.tsv").read_text(encoding="utf-8").split("# ")[1:]
    for kind, *lines in [block.splitlines()]
    for line in lines
]
QUESTIONS = sorted({question for _, _, question, *_ in ROWS})
ANSWERS = sorted(
    {answer for *_, first, second in ROWS for answer in (first, second)}
    | {answer for pair in load_pairs() for answer in (pair.answer, pair.other)}
)


@for_each(("kind", "meets", "question", "answer", "other"), ROWS)
def test_a_pair_meets_where_it_should_and_nowhere_else(
    kind: str, meets: str, question: str, answer: str, other: str
) -> None:
    joining = {policy for policy in ClassPolicy if len(classify([answer, other], policy, question).classes) == 1}
    assert joining == POLICIES[Meets(meets)], kind


@given(st.sampled_from(QUESTIONS), st.lists(st.sampled_from(ANSWERS), max_size=20), st.sampled_from(list(ClassPolicy)))
def test_a_question_parts_no_answers_that_are_the_same_words(
    question: str, answers: list[str], policy: ClassPolicy
) -> None:
    index = classify(answers, policy, question).index
    same = {answer_key(answer, ClassPolicy.EXACT): number for answer, number in zip(answers, index, strict=True)}
    cased = [pair for pair in load_pairs() if pair.meets is Meets.CASED]
    ambiguous = {answer_key(answer, ClassPolicy.EXACT) for pair in cased for answer in (pair.answer, pair.other)}
    for answer, number in zip(answers, index, strict=True):
        key = answer_key(answer, ClassPolicy.EXACT)
        assert same[key] == number or key in ambiguous
