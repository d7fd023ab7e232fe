"""Pairs made of questions: every example must deserve its label."""

import gzip
import json
import random
from collections import Counter
from pathlib import Path

import pytest

from answering.judges import Label
from answering.judges.compact import LABELS
from benchmarks.data.squad import Example as SquadExample
from benchmarks.data.squad import find_answer
from benchmarks.training.judge.claims import declarative
from benchmarks.training.judge.nli import Statement, load_statements, statement_examples
from benchmarks.training.judge.pairs import Example, PairMaker
from benchmarks.training.judge.questions import corpus_of, held_out, kind, load_questions, other_digits
from tests.tables import for_each

NAMES = ("Ada Holm", "Ivar Brask", "Lena Dahl", "Oda Lind", "Karl Varn", "Ilse Rehn")
PLACES = ("Aldvik", "Orvik", "Aster", "Mora", "Tarn", "Selby")


def _paragraph(at: int) -> dict[str, object]:
    name, town, year = NAMES[at], PLACES[at], str(1900 + 7 * at)
    text = (
        f"The market hall of {town} is large and made of stone, as so many are in this part of the country. "
        f"It was opened by {name} on a rainy day. The bridge beside it was built in {year} by the river people. "
        "Fish and blue glass are sold there on most days of the week, and the ferry leaves every half hour."
    )
    asked = (
        (f"Who opened the market hall of {town}?", name),
        (f"When was the bridge of {town} built?", year),
        (f"Who built the bridge of {town}?", "the river people"),
    )
    questions = [{"question": q, "answers": [{"text": a, "answer_start": text.index(a)}]} for q, a in asked]
    return {"context": text, "qas": questions}


@pytest.fixture
def examples(tmp_path: Path) -> list[Example]:
    articles = [{"title": "Halls", "paragraphs": [_paragraph(at) for at in range(6)]}]
    file = tmp_path / "squad.json.gz"
    file.write_bytes(gzip.compress(json.dumps({"data": articles}).encode()))
    maker = PairMaker(load_questions([file], kept=None))
    return [example for seed in range(6) for example in maker.examples(random.Random(seed))]


def test_all_labels_and_all_ways_to_make_them_occur(examples: list[Example]) -> None:
    counts = Counter((example.label, example.origin) for example in examples)
    assert {label for label, _ in counts} == set(LABELS)
    assert {origin for _, origin in counts} >= {"question", "swapped", "removed", "same topic", "another topic"}


def test_a_span_is_in_the_claim_where_it_supports_and_not_where_it_contradicts(examples: list[Example]) -> None:
    for example in examples:
        if example.span is None:
            assert example.label is Label.IRRELEVANT
            continue
        answer = example.passage[slice(*example.span)]
        assert answer
        assert (answer.lower() in example.claim.lower()) is (example.label is Label.SUPPORTS)


def test_the_passage_beside_an_irrelevant_claim_does_not_hold_its_answer(examples: list[Example]) -> None:
    answers = (*NAMES, *(str(1900 + 7 * at) for at in range(6)))
    for example in examples:
        if example.origin in {"removed", "same topic"}:
            claimed = [answer for answer in answers if answer in example.claim]
            assert not any(answer in example.passage for answer in claimed)


def test_the_same_seed_makes_the_same_examples(tmp_path: Path) -> None:
    articles = [{"title": "Halls", "paragraphs": [_paragraph(at) for at in range(6)]}]
    file = tmp_path / "squad.json.gz"
    file.write_bytes(gzip.compress(json.dumps({"data": articles}).encode()))
    first, second = (list(PairMaker(load_questions([file], kept=None)).examples(random.Random(3))) for _ in range(2))
    assert first == second


@for_each(
    ("question", "answer", "sentence"),
    [
        ("Who wrote Emma?", "Jane Austen", "Jane Austen wrote Emma."),
        ("Who is the artist of the album VII?", "The Beatles", "The artist of the album VII is The Beatles."),
        ("When was the hall built?", "1911", "The hall was built in 1911."),
        ("When was the hall built?", "in 1911", "The hall was built in 1911."),
        ("Where was Bach born?", "Eisenach", "Bach was born in Eisenach."),
        ("Where did Oda Lind die?", "Aster", "Oda Lind did die in Aster."),
        ("How many people are in the town?", "3", "There are 3 people in the town."),
        ("How many people are in the town?", "3 people", "There are 3 people in the town."),
        ("Why is it called a square?", "because", None),
    ],
)
def test_plain_questions_become_sentences(question: str, answer: str, sentence: str | None) -> None:
    assert declarative(question, answer) == sentence


def test_other_digits_keep_the_form() -> None:
    generator = random.Random(1)
    for answer in ("3,559 people", "1994", "98.5 km"):
        for _ in range(20):
            other = other_digits(answer, generator)
            assert other != answer
            assert [c.isdigit() for c in other] == [c.isdigit() for c in answer]


def test_only_answers_of_one_kind_are_exchanged() -> None:
    assert kind("When was it built?", "1911") == kind("when did it burn", "in 1987")
    assert kind("Who built it?", "Ada") != kind("Where is it?", "Ada")
    assert kind("How many are there?", "36") != kind("When was it?", "1936")


def test_about_one_text_in_twenty_is_held_out() -> None:
    assert sum(held_out(f"text {n}") for n in range(4000)) == pytest.approx(200, abs=60)


def test_statements_are_split_by_premise_and_unlike_contradictions_left_out(tmp_path: Path) -> None:
    premises = [f"A man number {n} plays a small drum." for n in range(60)]
    rows = ["premise,hypothesis,label"]
    for premise in premises:
        rows += [f"{premise},A man plays a drum.,entailment", f"{premise},Two dogs swim far away.,contradiction"]
    (tmp_path / "snli_dev.csv.gz").write_bytes(gzip.compress("\n".join(rows).encode()))
    trained, kept = (load_statements(tmp_path, kept=kept) for kept in (False, True))
    assert {example.premise for example in trained} | {example.premise for example in kept} == set(premises)
    assert not {example.premise for example in trained} & {example.premise for example in kept}
    assert {example.label for example in trained} == {Label.SUPPORTS}


def test_sets_without_a_licence_do_not_train_and_marks_of_wikis_and_treebanks_are_taken_out(tmp_path: Path) -> None:
    rows = [
        {"premise": f"Hall\tA [[Mora_(town)|Mora]] -LRB- {n} -RRB- .", "hypothesis": "A", "label": "True"}
        for n in (1, 2)
    ]
    (tmp_path / "more").mkdir()
    for name in ("dnc", "fnc1"):
        content = "\n".join(map(json.dumps, rows))
        (tmp_path / "more" / f"{name}.jsonl.gz").write_bytes(gzip.compress(content.encode()))
    loaded = [statement for kept in (False, True) for statement in load_statements(tmp_path, kept=kept)]
    assert {(statement.premise, statement.label, statement.origin) for statement in loaded} == {
        (f"Hall A Mora {n} .", Label.SUPPORTS, "dnc") for n in (1, 2)
    }


def test_questions_of_one_passage_share_it_and_those_without_an_answer_are_left_out() -> None:
    passages = [f"The hall of {name} opened in {1900 + at}." for at, name in enumerate(PLACES)]
    asked = [
        SquadExample(question, passage, span, "halls")
        for passage in passages
        for question, span in (
            ("When?", find_answer(passage, passage[-5:-1])),
            ("Where?", None),
            ("Which hall?", (4, 8)),
        )
    ]
    trained, kept = (corpus_of(asked, kept=kept) for kept in (False, True))
    assert {*trained.paragraphs, *kept.paragraphs} == set(passages)
    for corpus in (trained, kept):
        assert len(corpus.questions) == 2 * len(corpus.paragraphs) == 2 * len(corpus.topics)
        for question in corpus.questions:
            paragraph = corpus.paragraphs[question.paragraph]
            assert paragraph.startswith(question.answers[0], question.start)


def test_a_statement_stays_true_among_other_premises() -> None:
    statements = [Statement(f"Premise {n}.", f"Hypothesis {n}.", Label.SUPPORTS, "mnli_dev") for n in range(40)]
    for example in statement_examples(statements, random.Random(2)):
        own = f"Premise {example.claim.split()[1]}"
        assert (own in example.passage) is (example.label is Label.SUPPORTS)
