"""Claims among documents, and how a judge is scored on them."""

import gzip
import json
from pathlib import Path

import pytest

from answering.judges import Label, Pair
from benchmarks.data.claim_sets import ClaimSet, Document, load_conflictnq, load_opinions, load_ramdocs
from benchmarks.data.splits import Part, part_of
from benchmarks.judge.scores import Detection, accuracy, detection, pairs_of, true_labels


def _write(file: Path, rows: list[dict[str, object]]) -> None:
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def _document(text: str, answer: str) -> dict[str, str]:
    return {"text": text, "type": "correct", "answer": answer}


def _question_of(part: Part) -> str:
    return next(question for question in (f"How many people, {n}?" for n in range(100)) if part_of(question) is part)


@pytest.fixture
def ramdocs(tmp_path: Path) -> Path:
    documents = [
        _document("It has 3,559 people.", "3,559 people"),
        _document("3559 people live there.", "3559 people"),
        _document("It has 4,120 people.", "4,120 people"),
        _document("It is pretty.", "unknown"),
    ]
    _write(tmp_path / "ramdocs_dev.jsonl", [{"question": _question_of(Part.REPORT), "documents": documents}])
    return tmp_path


def test_every_question_is_in_one_part_and_half_are_trained_on() -> None:
    parts = [part_of(f"question {n}") for n in range(3000)]
    assert parts.count(Part.TRAINING) == pytest.approx(1500, abs=120)
    assert parts.count(Part.CALIBRATION) == pytest.approx(750, abs=100)


def test_answers_that_mean_the_same_agree(ramdocs: Path) -> None:
    full, without_agreeing, without_other, *second = load_ramdocs(ramdocs, Part.REPORT)
    assert [document.label for document in full.documents] == [
        Label.SUPPORTS,
        Label.SUPPORTS,
        Label.CONTRADICTS,
        Label.IRRELEVANT,
    ]
    assert [claim_set.conflicting for claim_set in (full, without_agreeing, without_other)] == [True, False, False]
    assert {document.text for document in without_agreeing.documents} == {"It has 4,120 people.", "It is pretty."}
    assert {claim_set.answer for claim_set in second} == {"4,120 people"}
    assert load_ramdocs(ramdocs, Part.CALIBRATION) == []


def test_a_false_passage_that_does_not_say_the_false_answer_is_not_known(tmp_path: Path) -> None:
    row: dict[str, object] = {
        "question": _question_of(Part.TRAINING),
        "cleaned_question": "When was it made?",
        "real_short_answer": "2014",
        "fake_short_answer": "1998",
        "real_passages": [{"passage": "Released in August 2014."}],
        "fake_passages": [{"passage": "Finished in 1998."}, {"passage": "It was kept secret."}],
    }
    _write(tmp_path / "conflict_nq_val.jsonl", [row])
    full = load_conflictnq(tmp_path, Part.TRAINING)[0]
    assert [document.label for document in full.documents] == [Label.SUPPORTS, Label.CONTRADICTS, None]
    assert full.claim == "When was it made? 2014."
    assert len(true_labels([full])) == 2


def test_conflicts_are_counted_by_hand() -> None:
    yes, no, other = (Document(text, None) for text in ("yes", "no", "other"))
    labels = {"yes": Label.SUPPORTS, "no": Label.CONTRADICTS, "other": Label.IRRELEVANT}
    sets = [
        ClaimSet("q", "a", (yes, no), conflicting=True, origin="hit"),
        ClaimSet("q", "a", (yes, no, other), conflicting=True, origin="hit"),
        ClaimSet("q", "a", (yes, other), conflicting=True, origin="missed"),
        ClaimSet("q", "a", (yes, no), conflicting=False, origin="alarm"),
        ClaimSet("q", "a", (no, other), conflicting=False, origin="silent"),
    ]
    judged = {pair: labels[pair.passage] for pair in pairs_of(sets)}
    assert len(judged) == 3
    seen = detection(sets, judged)
    assert seen == Detection(true_positives=2, false_positives=1, false_negatives=1)
    assert (seen.precision, seen.recall, seen.f1) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert Detection(0, 0, 0).f1 == 1.0


def test_accuracy_is_by_label() -> None:
    labels = {Pair("c", str(n)): Label.SUPPORTS if n < 4 else Label.CONTRADICTS for n in range(6)}
    judged = dict.fromkeys(labels, Label.SUPPORTS)
    assert accuracy(labels, judged) == {Label.SUPPORTS: 1.0, Label.CONTRADICTS: 0.0}


def test_opinions_are_for_or_against_each_claim_once(tmp_path: Path) -> None:
    stances = [("supports", "It is fair."), ("contradicts", "It is unfair."), ("contradicts", "It is unfair.")]
    rows = [{"claim": "Tax bread.", "text": text, "label": label} for label, text in stances]
    file = tmp_path / "perspectrum.jsonl.gz"
    file.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    assert load_opinions(file, 5) == {
        Pair("Tax bread.", "It is fair."): Label.SUPPORTS,
        Pair("Tax bread.", "It is unfair."): Label.CONTRADICTS,
    }
