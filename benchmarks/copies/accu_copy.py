"""AccuCopy: truth discovery that models copying between sources, implemented from the paper.

Truths, source accuracies and pairwise copying probabilities are estimated in turn, with the settings of the paper: a
prior probability of 0.2 that a pair copies in either direction, a copy rate of 0.8, 100 wrong values, initial
accuracies of 0.8. It differs from the paper in one point: the order in which the votes for a value are discounted is
one order of all sources, not one for each value.

Xin Luna Dong, Laure Berti-Equille, Divesh Srivastava: Integrating conflicting data: the role of source dependence.
PVLDB 2(1), 2009, doi:10.14778/1687627.1687690.
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
    """The votes as sparse incidence matrices of N sources with C answer classes and M queries."""

    class_votes: sparse.csr_array
    """(N, C)"""
    query_votes: sparse.csr_array
    """(N, M)"""
    class_query: Integers
    """(C,) the query of each class."""

    @classmethod
    def of(cls, votes: VoteMatrix) -> "Tables":
        """The tables of a vote matrix."""
        query, source, _ = votes.triples()
        class_of_vote = np.repeat(np.arange(votes.class_count), np.diff(votes.class_start))
        ones = np.ones(votes.vote_count)
        return cls(
            sparse.csr_array((ones, (source, class_of_vote)), shape=(votes.source_count, votes.class_count)),
            sparse.csr_array((ones, (source, query)), shape=(votes.source_count, votes.query_count)),
            votes.class_query.astype(np.int64),
        )


def accu_copy(votes: VoteMatrix) -> Integers:
    """(M,) winning answers, -1 for queries without votes."""
    tables = Tables.of(votes)
    accuracy = np.full(votes.source_count, 0.8)
    score = np.asarray(tables.class_votes.sum(axis=0), dtype=np.float64)
    previous: set[bytes] = set()
    chosen = _winners(tables, score)
    for _ in range(MAX_ROUNDS):
        copies = _copies(tables, accuracy, chosen)
        score = _discounted(tables, accuracy, copies)
        accuracy = _accuracies(tables, score)
        chosen = _winners(tables, score)
        if chosen.tobytes() in previous:
            break
        previous.add(chosen.tobytes())
    answer = np.full(votes.query_count, -1)
    answer[tables.class_query[chosen]] = votes.class_answer[chosen]
    return answer


def _winners(tables: Tables, score: Floats) -> Integers:
    """The class with the highest score of every query with votes; ties go to the first."""
    order = np.lexsort((np.arange(score.size), -score, tables.class_query))
    first = np.ones(order.size, dtype=np.bool_)
    first[1:] = np.diff(tables.class_query[order]) != 0
    return order[first]


def _copies(tables: Tables, accuracy: Floats, chosen: Integers) -> Floats:
    """(N, N) probability that the source of the row copies that of the column (theorem 4.1 with accuracies)."""
    is_winner = np.zeros(tables.class_query.size)
    is_winner[chosen] = 1.0
    same = (tables.class_votes @ tables.class_votes.T).toarray()
    true = (tables.class_votes.multiply(is_winner[None, :]).tocsr() @ tables.class_votes.T).toarray()
    counts = true, same - true, (tables.query_votes @ tables.query_votes.T).toarray() - same
    copier, original = accuracy[:, None], accuracy[None, :]
    both_true, both_false = copier * original, (1 - copier) * (1 - original) / WRONG_ANSWERS
    independent = _log_likelihood(counts, both_true, both_false, 1 - both_true - both_false) + np.log(1 - PRIOR)
    copying = _log_likelihood(
        counts,
        original * COPY_RATE + both_true * (1 - COPY_RATE),
        (1 - original) * COPY_RATE + both_false * (1 - COPY_RATE),
        (1 - both_true - both_false) * (1 - COPY_RATE),
    ) + np.log(PRIOR / 2)
    probability: Floats = np.exp(copying - np.logaddexp(independent, np.logaddexp(copying, copying.T)))
    probability[counts[0] + counts[1] + counts[2] == 0] = 0.0
    np.fill_diagonal(probability, 0.0)
    return probability


def _log_likelihood(counts: tuple[Floats, Floats, Floats], *probabilities: Floats) -> Floats:
    total: Floats = sum(
        (
            count * np.log(np.maximum(probability, 1e-12))
            for count, probability in zip(counts, probabilities, strict=True)
        ),
        start=np.zeros_like(counts[0]),
    )
    return total


def _discounted(tables: Tables, accuracy: Floats, copies: Floats) -> Floats:
    """(C,) vote counts: a source counts `1 - c P(copies)` for each earlier source with the same value."""
    weight = np.log(WRONG_ANSWERS * accuracy / (1 - accuracy))
    classes, sources = tables.class_votes.T.tocsr(), np.argsort(np.argsort(_order(copies)))
    score: Floats = np.asarray(tables.class_votes.T @ weight, dtype=np.float64)
    log_kept = np.log1p(-COPY_RATE * np.minimum(copies, 1 - 1e-9))
    for shared in np.flatnonzero(np.diff(classes.indptr) > 1):
        members = classes.indices[classes.indptr[shared] : classes.indptr[shared + 1]]
        members = members[np.argsort(sources[members])]
        independent = np.exp(np.tril(log_kept[np.ix_(members, members)], -1).sum(axis=1))
        score[shared] = (weight[members] * independent).sum()
    return score


def _order(copies: Floats) -> Integers:
    """First the source with the highest copying probability, then always the likeliest copier of an earlier one."""
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
    """(N,) mean probability of the values of a source, each a softmax over the values of its query."""
    first = np.flatnonzero(np.diff(tables.class_query, prepend=-1))
    row = np.cumsum(np.diff(tables.class_query, prepend=-1) != 0) - 1
    top = np.maximum(np.maximum.reduceat(score, first), 0.0)
    mass = np.exp(score - top[row])
    value_count = np.add.reduceat(np.ones_like(mass), first)
    total = np.add.reduceat(mass, first) + np.maximum(WRONG_ANSWERS + 1 - value_count, 0) * np.exp(-top)
    right = tables.class_votes @ (mass / total[row])
    vote_count = np.maximum(np.asarray(tables.class_votes.sum(axis=1)), 1)
    accuracy: Floats = np.asarray(right / vote_count, dtype=np.float64).clip(0.01, 0.99)
    return accuracy
