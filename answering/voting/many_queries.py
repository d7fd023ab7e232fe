"""The votes of the same sources on many queries at once, counted by the rule of `Electorate.count`, in arrays."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answering.equivalence.answer_class import single_spaced
from answering.errors import BadParameter
from answering.voting.electorate import SUREST_OF_LATECOMERS, Electorate
from answering.voting.vote import ROUNDING
from answering.voting.voter import Source

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
# Votes that are counted in one go, to bound memory.
_MOST_VOTES = 500_000


class Winners(NamedTuple):
    """The winners of the votes on Q queries; all arrays are (Q,)."""

    winner: Integers
    """Class of the winning answer; -1 where no answer has a positive weight."""
    confidence: Floats
    """Probability that it is right; 0 without one."""
    margin: Floats
    """The winner's weight minus the runner-up's, over the summed absolute weights; 0 for a tie."""
    ahead: Floats
    """The lead of the winner as a share of the weight of both, see `share_ahead`."""
    tied: Flags
    """Whether another answer is as heavy."""
    answers: Integers
    """Number of different answers."""
    capped: Flags
    """Whether the winner would be more probable if sources that came last counted as all others."""


def count_queries(
    electorate: Electorate[Source],
    sources: Sequence[Source],
    query: Integers,
    source: Integers,
    answer: Integers,
    query_count: int,
    yes_or_no: Flags | None = None,
) -> Winners:
    """Count V votes: `query` (V,) from 0 and rising, `source` (V,) places in `sources`, and `answer` (V,) classes,
    numbered in the order of their keys. `yes_or_no` (Q,) says which queries have two possible answers.

    A source votes once on a query, at present, on documents as old as the estimate, and is read with certainty; other
    votes are for `Electorate.count`. Raises `BadParameter` for votes that are not in the order of queries.

    >>> from answering.voting.voter import Voter
    >>> voters = [Voter("a", 0.9), Voter("b", 0.6)]
    >>> electorate = Electorate(voters, prior=0.6, prior_lower=0.5, labels=10, weigh=lambda w, _: w)
    >>> votes = np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([7, 3, 3])
    >>> count_queries(electorate, ["a", "b"], *votes, query_count=2).winner.tolist()
    [7, 3]
    """
    if (np.diff(query) < 0).any():
        raise BadParameter("votes have to be in the order of their queries")
    binary = np.zeros(query_count, dtype=np.bool_) if yes_or_no is None else yes_or_no
    kinds = [electorate, electorate.with_labels(2)] if binary.any() else [electorate]
    weights = np.array([[kind.weight(each) for each in sources] for kind in kinds])
    labels, odds = np.array([kind.labels for kind in kinds]), np.stack([kind.log_odds(sources) for kind in kinds])
    numbers: dict[Hashable, int] = {}
    groups = np.array([numbers.setdefault(electorate.copy_group(each), len(numbers)) for each in sources])
    of_sources = weights, groups, odds
    late = np.array([each in electorate.latecomers for each in sources], dtype=np.bool_)
    parts = []
    for first in range(0, query_count, step := max(_MOST_VOTES * query_count // max(query.size, 1), 1)):
        last = min(first + step, query_count)
        part = slice(*np.searchsorted(query, (first, last)))
        votes = query[part] - first, source[part], answer[part]
        kind = binary[first:last].astype(np.int64)
        counted = _count(*votes, kind, labels[kind] - 1, *of_sources)
        counted = counted._replace(confidence=np.minimum(counted.confidence, electorate.surest))
        if (is_late := late[votes[1]]).any():
            query_alone, source_alone, answer_alone = (column[~is_late] for column in votes)
            alone = _count(query_alone, source_alone, answer_alone, kind, labels[kind] - 1, *of_sources)
            counted = _capped(counted, alone, np.bincount(votes[0][is_late], minlength=last - first) > 0)
        parts.append(counted)
    return Winners(*map(np.concatenate, zip(*parts, strict=True)))


def _capped(counted: Winners, alone: Winners, has_late: Flags) -> Winners:
    """The winners with no more than `SUREST_OF_LATECOMERS` where sources that came last vote and the others alone have
    another winner, or none.
    """
    rests = has_late & (alone.tied | (alone.winner != counted.winner))
    capped = rests & (counted.confidence > SUREST_OF_LATECOMERS)
    return counted._replace(confidence=np.where(capped, SUREST_OF_LATECOMERS, counted.confidence), capped=capped)


def representatives(query: Integers, answer: Integers, answers: Sequence[str]) -> dict[int, str]:
    """The `representative` of V answers (V,) on queries (V,), by query, each a place in `answers`.

    >>> representatives(np.array([3, 3, 3, 5]), np.array([0, 1, 1, 0]), ["42 metres", "42 m"])
    {3: '42 m', 5: '42 metres'}
    """
    shown = [single_spaced(each) for each in answers]
    # Of spellings that are as frequent the shortest, then the one that sorts first.
    spellings = sorted(set(shown), key=lambda spelling: (len(spelling), spelling))
    place = {spelling: number for number, spelling in enumerate(spellings)}
    spelling = np.array([place[each] for each in shown], dtype=np.int64)[answer]
    first, row = _numbered(query, spelling)
    order = first[np.lexsort((spelling[first], -np.bincount(row), query[first]))]
    best = order[np.unique(query[order], return_index=True)[1]]
    return dict(zip(query[best].tolist(), map(spellings.__getitem__, spelling[best].tolist()), strict=True))


def _count(  # noqa: PLR0913, PLR0917  (columns of one table, and of the sources)
    query: Integers,
    source: Integers,
    answer: Integers,
    kind: Integers,
    wrong_answers: Integers,
    weights: Floats,
    groups: Integers,
    log_odds: Floats,
) -> Winners:
    query_count = kind.size
    share = 1 / _occurrences(query, groups[source], answer)
    vote_weight = weights[kind[query], source] * share
    class_id, in_class = _numbered(query, answer)
    class_query, class_answer = query[class_id], answer[class_id]
    weight: Floats = np.bincount(in_class, vote_weight).astype(np.float64)
    count = np.bincount(in_class)
    total = np.bincount(query, np.abs(vote_weight), minlength=query_count)
    top = _greatest(class_query, weight, query_count)
    is_top = top[class_query] - weight <= ROUNDING * total[class_query]
    # Of tied answers the one with more votes, then the one whose key sorts first.
    order = np.lexsort((class_answer, -count, ~is_top, class_query))
    best = order[np.unique(class_query[order], return_index=True)[1]]
    has_winner = top[class_query[best]] > ROUNDING * total[class_query[best]]
    best = best[has_winner]
    won = class_query[best]
    tied = np.bincount(class_query, is_top, minlength=query_count) > 1
    others = np.ones(weight.size, dtype=np.bool_)
    others[best] = False
    runner_up = _greatest(class_query[others], weight[others], query_count)
    runner_up[np.isneginf(runner_up)] = 0.0
    winner, confidence, margin = np.full(query_count, -1), np.zeros(query_count), np.zeros(query_count)
    ahead = np.ones(query_count)
    contested = won[runner_up[won] > 0]
    ahead[contested] = (top[contested] - runner_up[contested]) / (top[contested] + runner_up[contested])
    winner[won] = class_answer[best]
    margin[won] = np.clip((weight[best] - runner_up[won]) / total[won], 0.0, 1.0)
    margin[tied] = 0.0
    answers = np.bincount(class_query, minlength=query_count)
    wrong = np.maximum(np.maximum(wrong_answers, answers - 1), 1)
    evidence = np.zeros((weight.size, log_odds.shape[-1]))
    odds = log_odds[kind[query], source]
    np.add.at(evidence, in_class, share[:, None] * (odds + np.log(wrong)[query][:, None]))
    confidence[won] = _probability(evidence, best, class_query, wrong + 1 - answers)
    has_won = np.zeros(query_count, dtype=np.bool_)
    has_won[won] = True
    return Winners(winner, confidence, margin, ahead, tied & has_won, answers, np.zeros(query_count, dtype=np.bool_))


def _probability(evidence: Floats, best: Integers, class_query: Integers, unseen: Integers) -> Floats:
    """Mean over the quantiles (C, 9) of the probability of the best classes, beside the others of their queries and the
    answers (Q,) that nobody gave.
    """
    with np.errstate(divide="ignore"):
        none_correct = np.log(unseen.astype(np.float64))[:, None]
    highest = np.repeat(none_correct, evidence.shape[1], axis=1)
    np.maximum.at(highest, class_query, evidence)
    mass = np.exp(none_correct - highest)
    np.add.at(mass, class_query, np.exp(evidence - highest[class_query]))
    query = class_query[best]
    return np.asarray((np.exp(evidence[best] - highest[query]) / mass[query]).mean(axis=1))


def _greatest(place: Integers, value: Floats, count: int) -> Floats:
    """(count,) the greatest value of each place; -inf where there is none."""
    greatest = np.full(count, -np.inf)
    np.maximum.at(greatest, place, value)
    return greatest


def _numbered(*columns: NDArray[np.integer[Any]]) -> tuple[Integers, Integers]:
    """The first row of each distinct tuple of the columns, in their order, and the number of that of each row."""
    order = np.lexsort(columns[::-1])
    starts = np.zeros(order.size, dtype=np.bool_)
    for column in columns:
        ordered = column[order]
        starts |= np.concatenate(([True], ordered[1:] != ordered[:-1]))[: order.size]
    number = np.empty(order.size, dtype=np.int64)
    number[order] = np.cumsum(starts) - 1
    return order[starts], number


def _occurrences(*columns: NDArray[np.integer[Any]]) -> Integers:
    """(V,) how often the row of the columns occurs."""
    number = _numbered(*columns)[1]
    return np.bincount(number)[number] if number.size else number
