"""Pairs made of questions: every example must deserve its label."""

import gzip
import json
import random
from pathlib import Path

import pytest

from answering.judges import Label
from benchmarks.training.judge.nli import load_statements
from benchmarks.training.judge.pairs import Example, PairMaker
from benchmarks.training.judge.questions import load_questions

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
