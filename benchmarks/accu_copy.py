"""AccuCopy, the rival that finds copies: Dong, Berti-Equille and Srivastava, VLDB 2009, written anew after the paper.

Truth, accuracies and pairwise dependences in turn. A pair copies with prior chance 0.2 in either direction, a copier
copies with chance 0.8, there are 100 wrong answers, accuracies start from 0.8: the paper's settings. One liberty: the
order in which the sources of a value are discounted is that of all sources, not one for each value.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from estimator import VoteMatrix

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

PRIOR, COPY_RATE, WRONG_ANSWERS = 0.2, 0.8, 100
MAX_ROUNDS = 30


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """The votes as (N, C) and (N, M) incidences, and the query of each class."""

    said: sparse.csr_array
    asked: sparse.csr_array
    class_query: Integers

    @classmethod
    def of(cls, votes: VoteMatrix) -> "Tables":
        """Lay the votes out."""
        query, source, _ = votes.triples()
        klass = np.repeat(np.arange(votes.class_count), np.diff(votes.class_start))
        ones = np.ones(votes.vote_count)
        return cls(
            sparse.csr_array((ones, (source, klass)), shape=(votes.source_count, votes.class_count)),
            sparse.csr_array((ones, (source, query)), shape=(votes.source_count, votes.query_count)),
            votes.class_query.astype(np.int64),
        )


def accu_copy(votes: VoteMatrix) -> Integers:
    """(M,) winning answers, -1 without votes."""
    tables = Tables.of(votes)
    accuracy = np.full(votes.source_count, 0.8)
    score = np.asarray(tables.said.sum(axis=0), dtype=np.float64)
    seen: set[bytes] = set()
    chosen = _winners(tables, score)
    for _ in range(MAX_ROUNDS):
        copies = _copies(tables, accuracy, chosen)
        score = _discounted(tables, accuracy, copies)
        accuracy = _accuracies(tables, score)
        chosen = _winners(tables, score)
        if chosen.tobytes() in seen:
            break
        seen.add(chosen.tobytes())
    answer = np.full(votes.query_count, -1)
    answer[tables.class_query[chosen]] = votes.class_answer[chosen]
    return answer


def _winners(tables: Tables, score: Floats) -> Integers:
    """The heaviest class of every query with votes, the first of equals."""
    order = np.lexsort((np.arange(score.size), -score, tables.class_query))
    first = np.ones(order.size, dtype=np.bool_)
    first[1:] = np.diff(tables.class_query[order]) != 0
    return order[first]


def _copies(tables: Tables, accuracy: Floats, chosen: Integers) -> Floats:
    """(N, N) chance that the row's source copies the column's (theorem 4.1 with accuracies)."""
    elected = np.zeros(tables.class_query.size)
    elected[chosen] = 1.0
    same = (tables.said @ tables.said.T).toarray()
    true = (tables.said.multiply(elected[None, :]).tocsr() @ tables.said.T).toarray()
    counts = true, same - true, (tables.asked @ tables.asked.T).toarray() - same
    mine, theirs = accuracy[:, None], accuracy[None, :]
    both_true, both_false = mine * theirs, (1 - mine) * (1 - theirs) / WRONG_ANSWERS
    apart = _log_likelihood(counts, both_true, both_false, 1 - both_true - both_false) + np.log(1 - PRIOR)
    copying = _log_likelihood(
        counts,
        theirs * COPY_RATE + both_true * (1 - COPY_RATE),
        (1 - theirs) * COPY_RATE + both_false * (1 - COPY_RATE),
        (1 - both_true - both_false) * (1 - COPY_RATE),
    ) + np.log(PRIOR / 2)
    chance: Floats = np.exp(copying - np.logaddexp(apart, np.logaddexp(copying, copying.T)))
    chance[counts[0] + counts[1] + counts[2] == 0] = 0.0
    np.fill_diagonal(chance, 0.0)
    return chance


def _log_likelihood(counts: tuple[Floats, Floats, Floats], *chances: Floats) -> Floats:
    total: Floats = sum(
        (count * np.log(np.maximum(chance, 1e-12)) for count, chance in zip(counts, chances, strict=True)),
        start=np.zeros_like(counts[0]),
    )
    return total


def _discounted(tables: Tables, accuracy: Floats, copies: Floats) -> Floats:
    """(C,) vote counts: a source counts `1 - c P(copies)` for each earlier source with the same value."""
    weight = np.log(WRONG_ANSWERS * accuracy / (1 - accuracy))
    classes, sources = tables.said.T.tocsr(), np.argsort(np.argsort(_order(copies)))
    score: Floats = np.asarray(tables.said.T @ weight, dtype=np.float64)
    log_kept = np.log1p(-COPY_RATE * np.minimum(copies, 1 - 1e-9))
    for klass in np.flatnonzero(np.diff(classes.indptr) > 1):
        members = classes.indices[classes.indptr[klass] : classes.indptr[klass + 1]]
        members = members[np.argsort(sources[members])]
        independent = np.exp(np.tril(log_kept[np.ix_(members, members)], -1).sum(axis=1))
        score[klass] = (weight[members] * independent).sum()
    return score


def _order(copies: Floats) -> Integers:
    """First the source most involved, then always the one that most likely copies one of those before it."""
    likely = np.maximum(copies, copies.T)
    order = [int(likely.max(axis=1).argmax())]
    best = copies[:, order[0]].copy()
    best[order[0]] = -1.0
    for _ in range(copies.shape[0] - 1):
        following = int(best.argmax())
        order.append(following)
        best = np.where(best < 0, best, np.maximum(best, copies[:, following]))
        best[following] = -1.0
    return np.array(order)


def _accuracies(tables: Tables, score: Floats) -> Floats:
    """(N,) mean chance of a source's values, each chance a softmax over the values of its query."""
    first = np.flatnonzero(np.diff(tables.class_query, prepend=-1))
    row = np.cumsum(np.diff(tables.class_query, prepend=-1) != 0) - 1
    top = np.maximum(np.maximum.reduceat(score, first), 0.0)
    mass = np.exp(score - top[row])
    given = np.add.reduceat(np.ones_like(mass), first)
    total = np.add.reduceat(mass, first) + np.maximum(WRONG_ANSWERS + 1 - given, 0) * np.exp(-top)
    right = tables.said @ (mass / total[row])
    cast = np.maximum(np.asarray(tables.said.sum(axis=1)), 1)
    accuracy: Floats = np.asarray(right / cast, dtype=np.float64).clip(0.01, 0.99)
    return accuracy
