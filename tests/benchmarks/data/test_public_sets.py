"""Public claims among documents and in tables, read as the benchmark says it reads them."""

import pytest

from answering.judges import Label, Pair
from benchmarks.copies.accu_copy import accu_copy
from benchmarks.data.author_names import surnames
from benchmarks.data.claim_sets import ClaimSet, Document
from benchmarks.data.splits import Part, part_of
from benchmarks.judge.scores import Detection, accuracy, detection, pairs_of
from tests.estimator.copying.scenarios import copied
from tests.tables import for_each


def test_every_question_is_in_one_part_and_half_are_trained_on() -> None:
    parts = [part_of(f"question {n}") for n in range(3000)]
    assert parts.count(Part.TRAINING) == pytest.approx(1500, abs=120)
    assert parts.count(Part.CALIBRATION) == pytest.approx(750, abs=100)


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


@for_each(
    ("text", "names"),
    [
        ("Knuth, Donald E.", "knuth"),
        ("Donald Ervin Knuth", "knuth"),
        ("Knuth", "knuth"),
        ("Graham, Ronald L.; Knuth, Donald E.", "graham knuth"),
        ("Jiawei Han, Micheline Kamber", "han kamber"),
        ("Han, Jiawei Kamber, Micheline", "han kamber"),
        ("Russell, Stuart, Norvig, Peter", "norvig russell"),
        ("Slatin, John M., Rush, Sharron", "rush slatin"),
        ("Lans, Rick F. Van Der/ Cools, Diane (TRN)", "cools lans"),
        ("By (author) Han, Jiawei By (author) Kamber, Micheline", "han kamber"),
        ("Bowman, Doug A.Kruijff, ErnstLaViola, Joseph J.Poupyrev, Ivan", "bowman kruijff laviola poupyrev"),
        ("McGraw, Gary & O'Leary, Linda", "mcgraw oleary"),
        ("Conry-Murray, Andrew; Weafer, Vincent", "conrymurray weafer"),
        ("St&uuml;tzle, Thomas (Author)", "stutzle"),
        ("Ransome, James F., PhD", "ransome"),
        ("Not Available", ""),
        ("", ""),
    ],
)
def test_author_lists_become_sets_of_surnames(text: str, names: str) -> None:
    assert surnames(text) == frozenset(names.split())


def test_the_rival_finds_copies_that_are_no_majority() -> None:
    sample = copied(2, query_count=200)
    assert sample.accuracy(accu_copy(sample.votes)) > 0.9
