"""Votes on the items of lists, and their certificate against every list that corrupted sources could give."""

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from random import Random

import pytest

from answering.equivalence import ClassPolicy, listed_items
from answering.voting import CastVote, Electorate, ListedVote, Voter

ITEMS = "abcd"
LISTS = [frozenset(items) for size in (1, 2, 3) for items in combinations(ITEMS, size)]


def test_the_certificate_is_the_smallest_set_of_sources_that_changes_the_list() -> None:
    """One of the items is given by nobody."""
    sizes = set()
    for seed in range(60):
        random = Random(seed)
        voters = [Voter(source, random.uniform(0.55, 0.95)) for source in range(4)]
        lists = [frozenset(random.sample("abc", random.randint(1, 3))) for _ in voters]
        before = _vote(voters, lists)
        if before is None:
            continue
        certificate = before.certificate
        smallest = next(
            size
            for size in range(1, 5)
            for changed in combinations(range(4), size)
            if any(
                _won(_vote(voters, _changed(lists, changed, others))) != _won(before)
                for others in product(LISTS, repeat=size)
            )
        )
        assert certificate.size == smallest, seed
        sizes.add(certificate.size)
    assert {1, 2} <= sizes


def test_what_lists_share_is_no_answer_if_it_is_little_of_each() -> None:
    """One source that lists it alone makes it an answer, which takes no more than that source to change."""
    voters = [Voter(source, 0.9) for source in range(3)]
    long = [frozenset("a123"), frozenset("a456")]
    vote = _vote(voters, [frozenset("a"), *long])
    assert vote is not None
    assert [line.key for line in vote.won] == ["a"]
    assert (vote.certificate.sources, vote.certificate.size) == ((0,), 1)
    assert _vote(voters, [frozenset("a789"), *long]) is None


def test_the_items_of_most_weight_are_the_answer_each_with_its_sources() -> None:
    voters = [Voter(source, reliability) for source, reliability in enumerate([0.9, 0.9, 0.6])]
    vote = _vote(voters, [frozenset("ab"), frozenset("ac"), frozenset("c")])
    assert vote is not None
    assert {line.key: line.supporters for line in vote.result.tally} == {"a": (0, 1), "c": (1, 2), "b": (0,)}
    assert [line.key for line in vote.won] == ["a", "c"]
    assert vote.probabilities["a"] > vote.probabilities["c"] > 0.5 > vote.probabilities["b"]
    assert [ballot.source_id for ballot in vote.result.dissent] == [0, 2]
    # Of the weights .8, .8 and .2 the .8 of the first are against c, and more for a.
    assert vote.result.margin == pytest.approx((0.8 + 0.2 - 0.8) / (0.8 + 0.8 + 0.2))


def test_what_stands_in_brackets_is_no_item_and_spellings_are_one() -> None:
    lists = [
        "German (official, in the north) 62.1%, French (both) and Romansch",
        "French; German; Romansh",
        "Iran, Iraq; Iram",
    ]
    german, other, names = listed_items(lists, ClassPolicy.VALUES)
    assert german.keys() == other.keys()
    assert list(german.values()) == ["German", "French", "Romansch"]
    assert len(names) == 3


def test_no_item_wins_where_each_is_listed_by_one() -> None:
    voters = [Voter(source, 0.8) for source in range(3)]
    assert _vote(voters, [frozenset("ab"), frozenset("c"), frozenset("d")]) is None


def _vote(voters: Sequence[Voter[int]], lists: Sequence[frozenset[str]]) -> ListedVote[int] | None:
    electorate = Electorate(
        voters, prior=0.6, prior_lower=0.5, labels=10, weigh=lambda reliability, labels: labels * reliability - 1
    )
    votes = [CastVote(source, ", ".join(sorted(listed)), "") for source, listed in enumerate(lists)]
    listed: Mapping[int, Mapping[str, str]] = {
        source: {item: item for item in sorted(items)} for source, items in enumerate(lists)
    }
    return ListedVote.of(electorate.count(votes), listed)


def _won(vote: ListedVote[int] | None) -> frozenset[str]:
    return frozenset(line.key for line in vote.won) if vote else frozenset()


def _changed(
    lists: Sequence[frozenset[str]], changed: Sequence[int], others: Sequence[frozenset[str]]
) -> list[frozenset[str]]:
    replaced = dict(zip(changed, others, strict=True))
    return [replaced.get(source, listed) for source, listed in enumerate(lists)]
