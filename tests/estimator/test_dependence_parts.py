"""The arithmetic under the search, against loops and numbers by hand."""

from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from estimator.copying.collapse import group_votes
from estimator.copying.evidence import Counted, Taken, View, compare
from estimator.copying.grouping import grouped, in_order
from estimator.copying.layout import Ballots, Roll
from estimator.copying.likelihood import Parameters, Story, log_likelihood, read
from estimator.copying.pairs import Incidence, Pairs, blocks, candidates
from estimator.copying.truth import Truth, by_reliability, by_share, reliability
from tests.estimator.tables import Case, cases, rows
from tests.estimator.worlds import copied


@given(st.integers(0, 10**6), st.integers(1, 8))
@settings(deadline=None)
def test_sums_of_pairs_are_those_of_dense_tables(seed: int, few: int) -> None:
    """A few pairs are added up row by row, all pairs by a product."""
    random = np.random.default_rng(seed)
    voted = random.random((9, 40)) < 0.4
    weight = random.random((9, 40)) * voted
    incidence = Incidence.of(sparse.csr_array(voted.astype(float)))
    first, second = np.triu_indices(9, 1)
    dense = weight @ voted.T
    for chosen in (np.arange(first.size), random.choice(first.size, few, replace=False)):
        pairs = Pairs(first[chosen], second[chosen])
        forward, backward = incidence.sums(sparse.csr_array(weight), pairs)
        np.testing.assert_allclose(forward, dense[pairs.first, pairs.second])
        np.testing.assert_allclose(backward, dense[pairs.second, pairs.first])


@given(st.lists(st.integers(0, 9)), st.integers(1, 20))
def test_blocks_cover_everything_once_within_their_limit(cost: list[int], most: int) -> None:
    parts = list(blocks(np.array(cost, dtype=float), most))
    assert [index for part in parts for index in range(part.start, part.stop)] == list(range(len(cost)))
    assert all(sum(cost[part]) <= most or part.stop - part.start == 1 for part in parts)


def test_shares_believe_an_answer_as_far_as_its_votes_go() -> None:
    votes = rows("1 1 2 -\n3 3 3 3").votes()
    truth = by_share(Ballots.of(votes), group_votes(votes, np.arange(4)))
    assert truth.chance.tolist() == pytest.approx([2 / 3, 1 / 3, 1])


def test_chances_are_those_of_the_formula_at_the_end() -> None:
    """Once the reliabilities stand still, `odds = prod n A / (1 - A)` over the supporters, against all answers."""
    votes = rows("1 1 2\n1 1 1\n3 3 3\n1 1 2\n2 2 2\n4 4 1").votes()
    ballots, kept = Ballots.of(votes), group_votes(votes, np.arange(3))
    truth = by_reliability(ballots, kept)
    wrong_answers = 1 / by_share(ballots, kept).coincidence
    odds = [wrong_answers * a / (1 - a) for a in reliability(kept, truth.chance)]
    agreed, alone = odds[0] * odds[1], odds[2]
    assert truth.chance[0] == pytest.approx(agreed / (agreed + alone + wrong_answers - 1), abs=1e-3)
    assert truth.chance[2] == pytest.approx(agreed * alone / (agreed * alone + wrong_answers), abs=1e-3)


@given(cases())
def test_chances_of_a_query_add_up_to_one_at_most(case: Case) -> None:
    if not case.table:
        return
    votes = case.votes()
    ballots, kept = Ballots.of(votes), group_votes(votes, np.arange(case.source_count))
    for truth in (by_share(ballots, kept), by_reliability(ballots, kept)):
        assert (ballots.total(truth.chance) <= 1 + 1e-9).all()
        assert (truth.chance >= 0).all()
        assert 0 < truth.coincidence <= 1


@given(cases(answers=4), st.data())
@settings(deadline=None)
def test_counts_are_those_of_a_loop_over_votes(case: Case, data: st.DataObject) -> None:
    if case.source_count < 2 or not case.table:
        return
    votes = case.votes()
    chance = np.array(data.draw(st.lists(st.floats(0, 0.97), min_size=votes.class_count, max_size=votes.class_count)))
    view = View(np.arange(case.source_count), Truth(chance, 0.2), np.diff(votes.class_start).astype(float))
    roll, ballots = Roll.of(votes), Ballots.of(votes)
    pairs = candidates(roll, ballots)
    found = compare(Counted.of(roll, ballots, pairs), view)
    doubt = {
        (int(query), int(answer)): 1 - chance[place]
        for place, (query, answer) in enumerate(zip(votes.class_query, votes.class_answer, strict=True))
    }
    for place, (i, j) in enumerate(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)):
        both = [query for query in range(case.query_count) if {(query, i), (query, j)} <= case.table.keys()]
        wrong = sum(doubt[query, case.table[query, i]] for query in both)
        shared = sum(
            doubt[query, case.table[query, i]] for query in both if case.table[query, i] == case.table[query, j]
        )
        expected = _expected(case, doubt, chance_errs(case, doubt, j), i, j, both)
        expected = min(max(expected, _by_habit(case, doubt, i, j, both)), wrong)
        assert found.from_first.wrong[place] == pytest.approx(wrong)
        assert found.from_first.shared[place] == pytest.approx(shared)
        assert found.from_first.expected[place] == pytest.approx(expected)


def chance_errs(case: Case, doubt: dict[tuple[int, int], float], source: int) -> float:
    """How often a source errs: its doubted votes, smoothed by one right and one wrong vote."""
    mine = [(query, answer) for (query, other), answer in case.table.items() if other == source]
    return 1 - (sum(1 - doubt[vote] for vote in mine) + 1) / (len(mine) + 2)


def _expected(case: Case, doubt: dict[tuple[int, int], float], errs: float, i: int, j: int, both: list[int]) -> float:
    """`(m + e_j q s) / (t + s)` for each doubted answer of i, s being one imagined vote and q 0.2."""
    total, popular = 0.0, 0.0
    for query in both:
        voters = [answer for (other, _), answer in case.table.items() if other == query]
        mine, theirs = case.table[query, i], case.table[query, j]
        others = max(len(voters) - 2, 0) + 1
        popular += doubt[query, mine] * (voters.count(mine) - 1 - (mine == theirs)) / others
        total += doubt[query, mine] * errs * 0.2 / others
    return total + max(popular, 0.0)


def _by_habit(case: Case, doubt: dict[tuple[int, int], float], i: int, j: int, both: list[int]) -> float:
    """Each doubted answer of i as often as j gives that label where it is wrong, one imagined vote spread evenly."""
    labels = set(case.table.values())
    mine = [(query, answer) for (query, other), answer in case.table.items() if other == j]

    def rate(label: int) -> float:
        other = {query: doubt.get((query, label), 1.0) for query, _ in mine}
        given = sum(other[query] for query, answer in mine if answer == label)
        return (given + 1 / len(labels)) / (sum(other.values()) + 1)

    return sum(doubt[query, case.table[query, i]] * rate(case.table[query, i]) for query in both)


def test_log_odds_follow_the_share_and_not_the_number() -> None:
    """Of 1,000 wrong answers 300 are shared: certainly not by chance, and certainly not half of them."""
    taken = Taken(np.array([1000.0, 1000.0, 10.0]), np.array([300.0, 700.0, 10.0]), np.array([50.0, 50.0, 0.5]))
    weak, strong, few = taken.log_odds(0.5, np.full(3, -2.0)).tolist()
    assert weak < -20 < 20 < strong
    assert 3 < few < 20
    assert taken.share.tolist() == pytest.approx([250 / 950, 650 / 950, 1.0])


def test_without_wrong_answers_only_a_witness_can_speak() -> None:
    taken = Taken(np.array([5.0, 0.0, 0.0, 5.0]), np.zeros(4), np.array([0.1, 0.0, 0.0, 0.1]))
    assert taken.log_odds(0.5, np.array([-2.0, 4.0, -2.0, 4.0])).tolist() == [-np.inf, 4.0, -np.inf, -np.inf]


@given(cases(answers=3), st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_a_story_is_read_as_the_formula_says(case: Case, seed: int) -> None:
    """Every query summed over what is right and how hard it is: a loop over votes."""
    votes, random = case.votes(), np.random.default_rng(seed)
    if not votes.vote_count:
        return
    groups = in_order(random.integers(3, size=votes.source_count))
    ballots, kept = Ballots.of(votes), group_votes(votes, groups)
    story = Story.of(votes, ballots, groups, kept)
    parameters = Parameters(
        ability=random.normal(size=kept.group_count),
        hardness=random.dirichlet(np.ones(3)),
        concentration=float(random.uniform(0.1, 2)),
        popular=random.random(votes.class_count),
        repeats=random.uniform(0.1, 0.9, votes.source_count),
        right=random.uniform(0.1, 0.9, votes.source_count),
    )
    reading = read(story, parameters)
    expected = [_of_query(story, parameters, query) for query in range(ballots.first.size)]
    assert reading.log_likelihood == pytest.approx(sum(log(sum(one.values())) for one in expected))
    for klass, chance in enumerate(reading.chance.tolist()):
        query = expected[int(ballots.row[klass])]
        assert chance == pytest.approx(sum(query[klass, hard] for hard in range(3)) / sum(query.values()))


def _of_query(story: Story, parameters: Parameters, query: int) -> dict[tuple[int, int], float]:
    """Probability of the votes on a query with every class as the right one, -1 for one nobody gave, by hardness."""
    classes = np.flatnonzero(story.ballots.row == query).tolist()
    unseen = story.wrong_answers + 1 - len(classes)
    joint = {}
    for truth in [*classes, -1]:
        for hard, lower in enumerate((-1.5, 0.0, 1.5)):
            each = parameters.hardness[hard] * (max(unseen, 0.0) if truth < 0 else 1) / (story.wrong_answers + 1)
            drawn = dict.fromkeys(classes, 0)
            for klass, group in zip(story.kept.klass.tolist(), story.kept.group.tolist(), strict=True):
                if klass in drawn:
                    able = 1 / (1 + exp(lower - parameters.ability[group]))
                    each *= able if klass == truth else (1 - able) * _again(story, parameters, drawn, klass)
                    drawn[klass] += klass != truth
            members = zip(story.klass.tolist(), story.source.tolist(), story.follows.tolist(), strict=True)
            for klass, source, follows in members:
                if klass in drawn:
                    right = parameters.right[source]
                    own = right if klass == truth else (1 - right) * parameters.popular[klass]
                    each *= parameters.repeats[source] * follows + (1 - parameters.repeats[source]) * own
            joint[truth, hard] = float(each)
    return joint


def _again(story: Story, parameters: Parameters, drawn: dict[int, int], klass: int) -> float:
    """Chance of a wrong answer after those that were drawn before it (Polya's urn)."""
    before = sum(drawn.values())
    spread = parameters.concentration * story.wrong_answers
    return (parameters.concentration + drawn[klass]) / (spread + before)


def test_exact_copies_are_explained_best_as_one_group() -> None:
    sample = copied(4, query_count=300)
    votes, ballots = sample.votes, Ballots.of(sample.votes)
    apart, together = np.arange(10), sample.groups
    score = {}
    for name, groups in (("apart", apart), ("together", in_order(together))):
        kept = group_votes(votes, groups)
        score[name] = log_likelihood(votes, ballots, groups, kept, by_reliability(ballots, kept))
    assert score["together"] > score["apart"] + 60


def test_one_source_between_two_others_does_not_join_them() -> None:
    """1 shares half with 0 and half with 2, which share nothing: the closer pair stays."""
    pairs = Pairs(np.array([0, 0, 1]), np.array([1, 2, 2]))
    linked = np.array([0, 2])
    assert grouped(4, pairs, linked, np.array([0.6, 0.0, 0.55]), 0.5).tolist() == [0, 0, 1, 2]
    assert grouped(4, pairs, linked, np.array([0.6, 0.5, 0.55]), 0.5).tolist() == [0, 0, 0, 1]


def test_pairs_that_cannot_be_compared_do_not_part_a_group() -> None:
    pairs = Pairs(np.array([0, 0, 1]), np.array([1, 2, 2]))
    share = np.array([0.9, np.nan, 0.9])
    assert grouped(3, pairs, np.array([0, 2]), share, 0.5).tolist() == [0, 0, 0]
    assert grouped(3, pairs.take(np.array([0, 2])), np.array([0, 1]), share[[0, 2]], 0.5).tolist() == [0, 0, 0]


@given(st.lists(st.integers(0, 5)))
def test_groups_are_numbered_by_their_first_member(label: list[int]) -> None:
    numbered = in_order(np.array(label, dtype=np.int64)).tolist()
    assert [numbered.index(group) for group in sorted(set(numbered))] == sorted({label.index(one) for one in label})


def test_a_copier_with_errors_of_its_own_is_seen_from_the_other_side() -> None:
    """The original errs 20 times, the copier repeats 18 of them and errs 80 times more by itself."""
    taken = Taken(np.array([20.0]), np.array([18.0]), np.array([0.2]))
    reverse = Taken(np.array([98.0]), np.array([18.0]), np.array([1.0]))
    prior = np.array([-2.0])
    assert taken.log_odds(0.5, prior)[0] > 8 > -8 > reverse.log_odds(0.5, prior)[0]
