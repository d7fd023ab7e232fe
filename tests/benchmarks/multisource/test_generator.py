"""The generator: facts that stand alone, wrong answers of one kind, no trace of the truth, the same bytes for ever."""

import pytest

from answering.equivalence import answer_key, parse_value
from benchmarks.multisource.answer_kinds import kind_of
from benchmarks.multisource.facts import Fact, says
from benchmarks.multisource.synthetic import Prior, Setting, Stance, build
from benchmarks.multisource.traces import traces
from benchmarks.multisource.wordings import misinformation, poisoned
from tests.tables import for_each


def test_wrong_answers_are_of_the_kind_of_the_right_one(facts: list[Fact]) -> None:
    for fact in facts:
        assert {kind_of(fact.question, wrong) for wrong in fact.wrong} == {fact.kind}
        right = parse_value(fact.golds[0])
        for wrong in fact.wrong:
            value = parse_value(wrong)
            assert (value and value.kind) == (right and right.kind)
            assert answer_key(wrong) != answer_key(fact.golds[0])


def test_no_lie_holds_a_trace_of_the_truth(facts: list[Fact]) -> None:
    for fact in facts:
        for wrong in range(9):
            allowed = [fact.question, fact.wrong[wrong], fact.title]
            for text in (*misinformation(fact, wrong), *poisoned(fact, wrong)):
                assert not traces(text, fact.golds, allowed=allowed), text
                assert says(text, fact.wrong[wrong])
                assert not says(text, fact.golds[0])


@for_each(
    ("text", "golds", "allowed", "expected"),
    [
        ("It has 1000 people.", ["one thousand"], [], {"1000"}),
        ("The German army left.", ["Germany"], [], {"german"}),
        ("Tesla left Prague.", ["Nikola Tesla"], ["Where did Tesla live?"], set()),
        ("It cost 12 percent.", ["7 percent"], ["12 percent"], set()),
        ("Nothing of it.", ["the harbour"], [], set()),
    ],
)
def test_traces_are_found_in_other_forms(text: str, golds: list[str], allowed: list[str], expected: set[str]) -> None:
    assert traces(text, golds, allowed=allowed) == expected


def test_a_seed_gives_the_same_corpus_byte_for_byte(facts: list[Fact]) -> None:
    setting = Setting("poison", poisoned=0.5, estimation=20)
    corpus = build(setting, 3, facts)
    assert list(build(setting, 3, facts).lines()) == list(corpus.lines())
    assert build(setting, 4, facts).digest() != corpus.digest()


def test_sources_have_the_coverage_and_reliability_they_were_given(facts: list[Fact]) -> None:
    setting = Setting("shares", sources=6, prior=Prior.SPAMMER_HAMMER, spammers=3, estimation=20)
    corpora = [build(setting, seed, facts) for seed in range(6)]
    stances = [[item.stances[source] for corpus in corpora for item in corpus.items] for source in range(6)]
    for source, source_stances in enumerate(stances):
        relevant = [stance for stance in source_stances if stance is not Stance.IRRELEVANT]
        assert len(relevant) / len(source_stances) == pytest.approx(0.6, abs=0.09)
        right = sum(stance is Stance.FACTUAL for stance in relevant) / len(relevant)
        assert right == pytest.approx(0.1 if source < 3 else 0.9, abs=0.09)


def test_copiers_repeat_the_first_source(facts: list[Fact]) -> None:
    corpus = build(Setting("copies", sources=6, copiers=2, estimation=20), 1, facts)
    same = [item.published[0] == item.published[5] for item in corpus.items]
    assert sum(same) / len(same) > 0.85
    assert corpus.publishers[5].reliability == corpus.publishers[0].reliability


def test_a_turning_source_is_good_early_and_bad_late(facts: list[Fact]) -> None:
    corpora = [build(Setting("turning", turning=3, estimation=20), seed, facts) for seed in range(3)]
    early: list[bool] = []
    late: list[bool] = []
    for corpus in corpora:
        for item in corpus.items:
            right = [stance is Stance.FACTUAL for stance in item.stances[6:] if stance is not Stance.IRRELEVANT]
            (early if item.day < len(corpus.items) / 2 else late).extend(right)
    assert sum(early) / len(early) > 0.75
    assert sum(late) / len(late) < 0.25
