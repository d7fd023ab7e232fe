"""From response and documents to evidence, and the metrics of it: the paper's numbers and invariants."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answering.conflict import (
    Claim,
    ClaimDocuments,
    ClaimWeights,
    ConflictScore,
    DocumentPart,
    GroundingDocument,
    RuleSplitter,
    conflict_scores,
    score_claims,
    score_response,
)
from answering.conflict.evidence import Scores
from answering.conflict.scoring import BATCH
from answering.enums import Uncovered
from answering.errors import BadParameter, ModelUnavailable
from answering.judges import Judgement, Label, Pair, Quote
from answering.judges.compact import CompactJudge
from tests.fakes.scripted_judge import ScriptedJudge
from tests.tables import for_each

S, C, R, N = Label


def by_first_word(pair: Pair) -> Label:
    """Documents say of themselves what they say of any claim."""
    return Label(pair.passage.split()[0])


def documents(*labels: Label) -> list[GroundingDocument]:
    return [
        GroundingDocument.whole(str(index), f"{label} it", source=f"source {index}")
        for index, label in enumerate(labels)
    ]


async def scored(response: str, *labels: Label) -> ConflictScore:
    judge = ScriptedJudge(by_first_word)
    return await score_response(response, documents(*labels), judge=judge, splitter=RuleSplitter())


async def test_claims_with_support_and_contradiction_conflict() -> None:
    score = await scored("The tower is red. The bridge is long.", S, C, C, N)
    assert [claim.conflicting for claim in score.claims] == [True, True]
    assert score.scores().cs_c == 1.0
    assert score.scores().cs_r == pytest.approx(2 / 3)
    assert (score.judge, score.splitter) == ("scripted", "rules:1")
    assert len(score.contested) == 2


async def test_reliability_weighs_documents_and_the_unknown_count_the_default() -> None:
    grounding = [
        GroundingDocument.whole("a", f"{S} it", reliability=0.9),
        GroundingDocument.whole("b", f"{C} it", reliability=0.3),
        GroundingDocument.whole("c", f"{C} it"),
    ]
    score = await score_response(
        "The tower is red.", grounding, judge=ScriptedJudge(by_first_word), splitter=RuleSplitter()
    )
    weighted = score.weighted_scores(default=0.6)
    assert weighted.cs_c == pytest.approx(0.6 / 0.9)
    assert weighted.cs_r == pytest.approx(0.9 / 1.8)
    assert score.scores().cs_r == pytest.approx(2 / 3)


async def test_no_documents_leave_every_claim_uncovered() -> None:
    score = await scored("The tower is red.")
    assert score.scores() == Scores(0.0, 0.0)
    assert score.claims[0].stances == ()


async def test_without_claims_no_judge_is_called() -> None:
    judge = ScriptedJudge(by_first_word)
    score = await score_response("", documents(S), judge=judge, splitter=RuleSplitter())
    assert score.scores() == Scores(None, None)
    assert judge.calls == []


async def test_what_is_the_same_is_judged_once_and_counted_each_time() -> None:
    judge = ScriptedJudge(by_first_word)
    grounding = [GroundingDocument.whole(key, f"{C} it") for key in "abc"] + [GroundingDocument.whole("d", f"{S} it")]
    score = await score_response("The tower is red.", grounding, judge=judge, splitter=RuleSplitter())
    assert [len(call) for call in judge.calls] == [2]
    assert score.scores().cs_r == pytest.approx(3 / 4)


async def test_many_pairs_are_judged_in_batches_in_order() -> None:
    judge = ScriptedJudge(by_first_word)
    labels = [random.Random(3).choice([S, C, N]) for _ in range(2 * BATCH + 5)]
    grounding = [GroundingDocument.whole(str(at), f"{label} {at}") for at, label in enumerate(labels)]
    judged = await score_claims([ClaimDocuments(Claim("It is red."), tuple(grounding))], judge)
    assert [len(call) for call in judge.calls] == [BATCH, BATCH, 5]
    assert [stance.label for stance in judged.claims[0].stances] == labels


def judgement(supports: float, contradicts: float, evidence: Quote | None = None) -> Judgement:
    irrelevant = 1 - supports - contradicts
    label = max(zip((supports, contradicts, irrelevant), (S, C, N), strict=True), key=lambda pair: pair[0])[1]
    return Judgement(label, supports, contradicts, 0.0, irrelevant, evidence)


async def test_a_document_in_parts_is_on_one_side_and_quoted_in_its_own_characters() -> None:
    parts = (
        DocumentPart("Nothing here.", 0),
        DocumentPart("Xx was red.", 500),
        DocumentPart("It was red.", 900, "text 2"),
    )
    judge = ScriptedJudge(
        {
            ("It is red.", "Nothing here."): judgement(0.1, 0.1),
            ("It is red.", "Xx was red."): judgement(0.6, 0.1, Quote(3, 10, "was red")),
            ("It is red.", "It was red."): judgement(0.9, 0.05, Quote(0, 11, "It was red.")),
        }
    )
    judged = await score_claims([ClaimDocuments(Claim("It is red."), (GroundingDocument("a", parts),))], judge)
    (stance,) = judged.claims[0].stances
    assert stance.label is S
    assert stance.probability == pytest.approx(0.9 / (0.9 + 0.1 + 0.05))
    assert stance.part == parts[2]
    assert stance.quote == Quote(900, 911, "It was red.")


async def test_labels_that_are_not_sure_enough_are_irrelevant() -> None:
    judge = ScriptedJudge(lambda _: judgement(0.2, 0.55, Quote(0, 2, "It")))
    claims = [ClaimDocuments(Claim("It is red."), (GroundingDocument.whole("a", "It is blue."),))]
    (sure,) = (await score_claims(claims, judge, min_probability=0.5)).claims[0].stances
    (unsure,) = (await score_claims(claims, judge, min_probability=0.6)).claims[0].stances
    assert (sure.label, unsure.label, unsure.quote) == (C, N, None)
    with pytest.raises(BadParameter):
        await score_claims(claims, judge, min_probability=1.5)


async def test_a_document_that_only_reports_a_claim_is_on_neither_side() -> None:
    score = await scored("The tower is red.", R, R, C)
    assert [stance.label for stance in score.claims[0].stances] == [R, R, C]
    assert score.scores() == Scores(0.0, 1.0)
    assert (await scored("The tower is red.", R, N)).scores() == Scores(0.0, 0.0)


@for_each(("endorsing", "label"), [(0.5, R), (0.8, S), (0.9, S)])
async def test_a_document_endorses_what_one_of_its_parts_endorses_more_clearly(endorsing: float, label: Label) -> None:
    parts = (DocumentPart("They say so."), DocumentPart("It is so.", 20))
    judge = ScriptedJudge(
        lambda pair: (
            Judgement(R, 0.1, 0.1, 0.8, 0.0)
            if "They" in pair.passage
            else Judgement(S, endorsing, 0.0, 0.0, 1 - endorsing)
        )
    )
    judged = await score_claims([ClaimDocuments(Claim("It is red."), (GroundingDocument("a", parts),))], judge)
    assert judged.claims[0].stances[0].label is label


async def test_the_notes_of_a_judge_are_kept_and_its_errors_raised() -> None:
    noted = ScriptedJudge(lambda _: Judgement(N, 0.0, 0.0, 0.0, 1.0, note="unreadable"))
    claims = [ClaimDocuments(Claim("It is red."), (GroundingDocument.whole("a", "It is blue."),))]
    assert (await score_claims(claims, noted)).claims[0].stances[0].note == "unreadable"
    dead = ScriptedJudge(lambda _: ModelUnavailable("down"))
    with pytest.raises(ModelUnavailable):
        await score_claims(claims, dead)


LABELS = st.lists(st.sampled_from(Label), max_size=8)


@settings(deadline=None)
@given(LABELS.flatmap(lambda labels: st.tuples(st.just(labels), st.permutations(labels))))
async def test_the_order_of_documents_does_not_matter(labels: tuple[list[Label], list[Label]]) -> None:
    first, second = [(await scored("The tower is red. It was built.", *arguments)).scores() for arguments in labels]
    assert first == second
    assert first.cs_c in {0.0, 1.0}


async def test_the_compact_judge_finds_who_disagrees_and_where() -> None:
    judge = CompactJudge()
    texts = {
        "herald": "The town hall is of brick. The bridge of Brin was opened in 1911 by the mayor.",
        "rumour": "There is much to see. The bridge of Brin was opened in 1950.",
        "cook": "Boil the potatoes for twenty minutes and add salt.",
    }
    grounding = [GroundingDocument.whole(key, text, source=key) for key, text in texts.items()]
    score = await score_response(
        "1911", grounding, judge=judge, splitter=RuleSplitter(), question="In which year was the bridge of Brin opened?"
    )
    await judge.aclose()
    (claim,) = score.claims
    assert {stance.document.key: stance.label for stance in claim.stances} == {"herald": S, "rumour": C, "cook": N}
    for stance in claim.stances[:2]:
        assert stance.quote is not None
        assert texts[stance.document.key][stance.quote.start : stance.quote.end] == stance.quote.text
        assert "was opened" in stance.quote.text
    assert score.scores() == Scores(1.0, 0.5)


SHARES = st.floats(0, 1)
SIDES = st.builds(ClaimWeights, st.lists(SHARES, max_size=5).map(tuple), st.lists(SHARES, max_size=5).map(tuple))
CLAIMS = st.lists(SIDES, max_size=6)
UNCOVERED = st.sampled_from(Uncovered)


def plain(supporting: int, contradicting: int) -> ClaimWeights:
    return ClaimWeights((1.0,) * supporting, (1.0,) * contradicting)


def test_four_of_six_claims_in_conflict() -> None:
    """The shape of the paper's figure 2: CS-C 0.67."""
    claims = [plain(1, 3), plain(1, 1), plain(1, 4), plain(2, 2), plain(3, 0), plain(0, 1)]
    scores = conflict_scores(claims)
    assert scores.cs_c == pytest.approx(4 / 6)
    assert scores.cs_r == pytest.approx((3 / 4 + 1 / 2 + 4 / 5 + 1 / 2 + 0 + 1) / 6)


def test_what_a_claim_without_evidence_counts_is_a_policy() -> None:
    claims = [plain(1, 1), plain(0, 0)]
    assert conflict_scores(claims, Uncovered.ZERO) == Scores(0.5, 0.25)
    assert conflict_scores(claims, Uncovered.OMIT) == Scores(0.5, 0.5)
    assert conflict_scores([plain(0, 0)], Uncovered.OMIT) == Scores(0.0, None)


@pytest.mark.parametrize("policy", Uncovered)
def test_no_claims_have_no_score(policy: Uncovered) -> None:
    assert conflict_scores([], policy) == Scores(None, None)


def test_a_conflict_is_as_strong_as_its_weaker_side_is_beside_the_other() -> None:
    assert ClaimWeights((0.9, 0.2), (0.3,)).conflict == pytest.approx(1 / 3)
    assert ClaimWeights((0.3,), (0.9, 0.2)).conflict == pytest.approx(1 / 3)
    assert ClaimWeights((0.9,), ()).conflict == 0


def test_documents_of_no_weight_are_on_no_side() -> None:
    assert ClaimWeights((0.8,), (0.0,)).conflict == 0
    assert ClaimWeights((0.8,), (0.0,)).ratio == 0
    assert ClaimWeights((0.0,), (0.0,)).ratio is None
    assert ClaimWeights((0.0,), (0.0,)).conflict == 0


@for_each("weight", [-0.1, 1.1, float("nan"), float("inf")])
def test_what_is_no_weight_is_refused(weight: float) -> None:
    with pytest.raises(BadParameter, match="0 to 1"):
        ClaimWeights((weight,), ())


@given(CLAIMS, UNCOVERED)
def test_scores_are_shares(claims: list[ClaimWeights], policy: Uncovered) -> None:
    scores = conflict_scores(claims, policy)
    assert (scores.cs_c is None) is (not claims)
    assert all(score is None or 0 <= score <= 1 for score in (scores.cs_c, scores.cs_r))


@given(CLAIMS, UNCOVERED, st.randoms(use_true_random=False))
def test_no_order_matters(claims: list[ClaimWeights], policy: Uncovered, order: random.Random) -> None:
    shuffled = [
        ClaimWeights(*(tuple(order.sample(side, len(side))) for side in (claim.supporting, claim.contradicting)))
        for claim in order.sample(claims, len(claims))
    ]
    assert conflict_scores(shuffled, policy) == conflict_scores(claims, policy)


@given(CLAIMS, UNCOVERED)
def test_to_have_every_document_twice_changes_nothing(claims: list[ClaimWeights], policy: Uncovered) -> None:
    doubled = [ClaimWeights(claim.supporting * 2, claim.contradicting * 2) for claim in claims]
    scores, again = conflict_scores(claims, policy), conflict_scores(doubled, policy)
    assert again.cs_c == scores.cs_c
    assert again.cs_r == pytest.approx(scores.cs_r)


@given(CLAIMS, UNCOVERED)
def test_to_have_every_claim_twice_changes_nothing(claims: list[ClaimWeights], policy: Uncovered) -> None:
    scores, again = conflict_scores(claims, policy), conflict_scores(claims * 2, policy)
    assert again.cs_c == pytest.approx(scores.cs_c)
    assert again.cs_r == pytest.approx(scores.cs_r)


@given(CLAIMS, UNCOVERED)
def test_documents_of_weight_zero_change_nothing(claims: list[ClaimWeights], policy: Uncovered) -> None:
    more = [ClaimWeights((*claim.supporting, 0.0), (0.0, *claim.contradicting)) for claim in claims]
    assert conflict_scores(more, policy) == conflict_scores(claims, policy)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=6), st.floats(0.01, 1))
def test_equal_weights_are_the_paper(counts: list[tuple[int, int]], weight: float) -> None:
    claims = [ClaimWeights((weight,) * supporting, (weight,) * contradicting) for supporting, contradicting in counts]
    scores = conflict_scores(claims)
    assert scores.cs_c == pytest.approx(sum(bool(of and against) for of, against in counts) / len(counts))
    assert scores.cs_r == pytest.approx(sum(against / (of + against or 1) for of, against in counts) / len(counts))


@given(SIDES)
def test_sides_that_change_places_turn_the_ratio_over(claim: ClaimWeights) -> None:
    turned = ClaimWeights(claim.contradicting, claim.supporting)
    assert turned.conflict == claim.conflict
    if claim.ratio is not None:
        assert turned.ratio == pytest.approx(1 - claim.ratio)
