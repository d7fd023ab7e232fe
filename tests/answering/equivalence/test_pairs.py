"""The table of pairs: every policy joins what it should; what must stay apart does among any other answers."""

import itertools
import json
import os
import random
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answering.equivalence import ClassPolicy, answer_key, classify
from answering.text import squad_normalise
from tests.answering.equivalence.pairs import POLICIES, Meets, Pair, load_pairs
from tests.tables import for_each

PAIRS = load_pairs()
NEVER = [pair for pair in PAIRS if pair.meets is Meets.NEVER]
ANSWERS = sorted({answer for pair in PAIRS for answer in (pair.answer, pair.other)})
RAMDOCS = Path(os.environ.get("CREDENCE_DATA", "../shared/data")) / "ramdocs" / "ramdocs_dev.jsonl"
SPELLINGS = {
    key: list(spellings) for key, spellings in itertools.groupby(sorted(ANSWERS, key=answer_key), key=answer_key)
}
COMPANY = st.lists(st.sampled_from(ANSWERS), max_size=30)
WORDS = re.findall(r"\S+", "the of and in on 1 2 May $5 42 km is was Paris Smith , ; not J. ( ) one hundred US St. II")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def apart(pair: Pair, answers: list[str], policy: ClassPolicy) -> bool:
    index = classify([pair.answer, pair.other, *answers], policy).index
    return index[0] != index[1]


@for_each("pair", PAIRS)
def test_a_pair_meets_where_it_should_and_nowhere_else(pair: Pair) -> None:
    joining = {policy for policy in ClassPolicy if not apart(pair, [], policy)}
    assert joining == POLICIES[pair.meets]


def test_the_table_is_large_and_without_doubles() -> None:
    assert len(PAIRS) >= 500
    assert len({frozenset((pair.answer, pair.other)) for pair in PAIRS}) == len(PAIRS)
    assert min(Counter(pair.kind for pair in PAIRS).values()) >= 7
    assert len(NEVER) >= len(PAIRS) // 3


@for_each("policy", [ClassPolicy.VALUES, ClassPolicy.ROUNDED])
@for_each("seed", range(3))
def test_no_company_joins_what_must_not_meet(policy: ClassPolicy, seed: int) -> None:
    """Every answer of the table is there, some of them often: through none of them do two meet that must not."""
    rng = random.Random(seed)
    answers = [*ANSWERS, *rng.choices(ANSWERS, k=rng.randint(0, len(ANSWERS)))]
    rng.shuffle(answers)
    class_of = dict(zip(answers, classify(answers, policy).index, strict=True))
    assert [str(pair) for pair in NEVER if class_of[pair.answer] == class_of[pair.other]] == []


@for_each("pair", NEVER)
def test_no_third_answer_of_its_kind_joins_a_pair(pair: Pair) -> None:
    thirds = [answer for similar in PAIRS if similar.kind == pair.kind for answer in (similar.answer, similar.other)]
    for third in random.Random(0).sample(thirds, min(5, len(thirds))):
        assert apart(pair, [third], ClassPolicy.ROUNDED)
        assert apart(pair, [third, third], ClassPolicy.ROUNDED)


@for_each("pair", NEVER)
def test_no_other_spelling_of_one_meets_the_other(pair: Pair) -> None:
    """A class is compared by its most usual spelling, whichever that is."""
    spellings = ([answer, *SPELLINGS[answer_key(answer)]] for answer in (pair.answer, pair.other))
    for answer, other in itertools.product(*spellings):
        assert len(classify([answer, other], ClassPolicy.ROUNDED).classes) == 2


@given(st.sampled_from(NEVER), COMPANY)
def test_no_few_answers_join_a_pair(pair: Pair, company: list[str]) -> None:
    assert apart(pair, company, ClassPolicy.ROUNDED)


@given(COMPANY)
def test_the_order_of_answers_changes_nothing(company: list[str]) -> None:
    forwards, backwards = classify(company, ClassPolicy.ROUNDED), classify(company[::-1], ClassPolicy.ROUNDED)
    assert forwards.classes == backwards.classes
    assert forwards.index == backwards.index[::-1]


@given(st.sampled_from([answer for answer in ANSWERS if re.search("[0-9]", answer)]), st.data())
def test_another_digit_is_another_answer(answer: str, data: st.DataObject) -> None:
    at = data.draw(st.sampled_from([match.start() for match in re.finditer("[0-9]", answer)]))
    digit = data.draw(st.sampled_from(sorted(set("0123456789") - {answer[at]})))
    other = answer[:at] + digit + answer[at + 1 :]
    assert len(classify([answer, other]).classes) == 2


@given(st.sampled_from(ANSWERS), st.sampled_from(["not", "former", "North", "almost", "over", "before"]))
def test_a_word_that_tells_apart_does_in_front_of_every_answer(answer: str, word: str) -> None:
    assert len(classify([answer, f"{word} {answer}"]).classes) == 2


@pytest.mark.parametrize("policy", ClassPolicy)
def test_hundreds_of_long_answers_can_be_told_apart(policy: ClassPolicy) -> None:
    rng = random.Random(0)
    answers = [" ".join(rng.choices(WORDS, k=120))[:300] for _ in range(500)]
    assert len(classify(answers, policy).classes) > 475


@pytest.mark.parametrize(
    "answers",
    [
        [f"J. {first}{second} Smith" for first, second in itertools.product(LETTERS, repeat=2)],
        ["Varn", *(f"{first}{second}a Varn" for first, second in itertools.product(LETTERS, repeat=2))],
        [f"{number / 100} km" for number in range(1_000, 1_500)],
        [f"{number} of the people were there in 1994" for number in range(500)],
        [("is was in " * 29) + str(number) for number in range(500)],
        [("(" * 140) + (")" * 140) + str(number) for number in range(500)],
        [("a, " * 90) + str(number) for number in range(500)],
        [("one hundred and " * 18) + str(number) for number in range(500)],
    ],
    ids=["initials", "surname", "quantities", "counts", "copulas", "parentheses", "commas", "number words"],
)
def test_hundreds_of_answers_that_are_hard_to_tell_apart_can_be_classified(answers: list[str]) -> None:
    """Comparing each with each in full would exceed the limit of every test."""
    assert len(classify(answers, ClassPolicy.ROUNDED).index) == len(answers)


@pytest.mark.skipif(not RAMDOCS.exists(), reason=f"{RAMDOCS} is not there; CREDENCE_DATA names the folder of the data")
def test_gold_answers_of_ramdocs_do_not_meet_its_wrong_ones() -> None:
    """Letter for letter the same words are now and then called right and wrong; beyond that, VALUES joins none."""
    rows = [json.loads(line) for line in RAMDOCS.read_text(encoding="utf-8").splitlines()]
    pairs = {pair for row in rows for pair in itertools.product(row["gold_answers"], row["wrong_answers"])}
    telling = [pair for pair in sorted(pairs) if squad_normalise(pair[0]) != squad_normalise(pair[1])]
    assert len(telling) > 250
    assert [pair for pair in telling if len(classify(pair).classes) == 1] == []
