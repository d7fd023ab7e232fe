"""The start of an estimate that is given gold answers or priors of sources."""

from typing import Final

import numpy as np

from estimator.arrays.types import Floats
from estimator.arrays.vote_table import VoteTable
from estimator.result import START_RELIABILITY
from estimator.source_priors import SourcePriors

# Pseudo-queries of usual quality, so that a few misleading queries do not make the corpus look worse than chance.
_PSEUDO_QUERIES: Final = 5.0
# Votes that the mean of all sources counts as for each of them.
_PSEUDO_VOTES: Final = 4.0


def gold_counts(table: VoteTable) -> tuple[Floats, Floats]:
    """Votes of every source for gold answers, and its votes on queries with gold; both (N,)."""
    right = np.zeros(table.class_count)
    if table.gold_class is not None:
        right[table.gold_class[table.gold_class >= 0]] = 1.0
    return table.sum_by_source(right), table.sum_by_source(table.has_gold[table.row].astype(np.float64))


def mean_on_gold(table: VoteTable) -> float:
    """Expected share of right votes on a query, by those with gold: `START_RELIABILITY` if there are none."""
    if table.gold_class is None:
        return START_RELIABILITY
    gold_class = table.gold_class[table.has_gold]
    share = np.where(gold_class >= 0, table.supporters[gold_class], 0) / table.query_votes()[table.has_gold]
    return float((_PSEUDO_QUERIES * START_RELIABILITY + share.sum()) / (_PSEUDO_QUERIES + share.size))


def start_reliability(table: VoteTable, priors: SourcePriors | None = None, before: Floats | None = None) -> Floats:
    """(N,) reliabilities to start from: by the votes on queries with gold and the priors, pooled towards `before` (N,),
    else towards the mean of all.
    """
    priors = priors or SourcePriors.none(table.source_count)
    if table.gold_class is None and not priors.total.any():
        return np.full(table.source_count, START_RELIABILITY) if before is None else before
    mean = mean_on_gold(table) if before is None else before
    right, judged = gold_counts(table)
    return (_PSEUDO_VOTES * mean + right + priors.right) / (_PSEUDO_VOTES + judged + priors.total)
