"""Log-likelihood of the votes under a partition of the sources into copy groups.

Where many copiers outvote the others, "they are right and the others copy each other" and "they copy and the others are
right" can both be consistent. They differ in how sources answer when they leave their group: copiers of an error who
answer by themselves are right, honest sources who err scatter. Agreement has other causes too, which the model has to
know in order not to take them for copying: some queries are hard for all sources, some errors are common.
"""

from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np
from scipy.special import betaln, expit, gammaln, logit, xlogy

from estimator.arrays.types import Floats, Integers
from estimator.copying.collapse import GroupVotes
from estimator.copying.layout import QueryClasses
from estimator.copying.truth import Truth, group_reliability, log_total_odds
from estimator.votes import VoteMatrix

_ROUNDS: Final = 10
_HARDNESS: Final[Floats] = np.array([-1.5, 0.0, 1.5])
"""By how much the log odds of being right are lower on queries that are easy, usual and hard."""
_HARDNESS_PRIOR: Final[Floats] = np.array([0.25, 0.5, 0.25])
_CONCENTRATIONS: Final = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.0, 10.0, 1000.0)
_PRIOR_VOTES: Final = 2.0
_LARGEST_ABILITY: Final = 6.0


@dataclass(frozen=True, slots=True, eq=False)
class PartitionVotes:
    """The votes under one partition: those of G groups, and U votes of members of groups of several."""

    classes: QueryClasses
    collapsed: GroupVotes
    source: Integers
    """(U,)"""
    vote_class: Integers
    """(U,)"""
    follows: Floats
    """(U,) 1 where the group votes the same."""
    support: Integers
    """(C,) groups behind every class."""
    source_count: int
    wrong_answers: float

    @classmethod
    def of(cls, votes: VoteMatrix, classes: QueryClasses, groups: Integers, collapsed: GroupVotes) -> Self:
        """Lay out; the number of wrong answers is that of the most disputed query, the same for all partitions."""
        source, vote_class, follows = _member_votes(votes, groups, collapsed)
        support = collapsed.support(classes.row.size).astype(np.int64)
        wrong_answers = float(max(int(classes.count.max()) - 1, 2))
        return cls(classes, collapsed, source, vote_class, follows, support, groups.size, wrong_answers)

    def by_source(self, value: Floats) -> Floats:
        """(N,) sum of a (U,) value over every source."""
        return np.bincount(self.source, value, minlength=self.source_count).astype(np.float64)

    def by_group(self, value: Floats) -> Floats:
        """(G,) sum of a value (W,) of the votes of groups."""
        return np.bincount(self.collapsed.group, value, minlength=self.collapsed.group_count).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Parameters:
    """The parameters of the model under one partition."""

    ability: Floats
    """(G,) log odds that a group is right on a usual query."""
    hardness: Floats
    """(3,) shares of easy, usual and hard queries."""
    concentration: float
    """Of the Dirichlet distribution of wrong answers, for each of them: low where errors are common."""
    popularity: Floats
    """(C,) probability that a wrong vote is for this class."""
    copy_rate: Floats
    """(N,) probability that a member of a group repeats it."""
    own_reliability: Floats
    """(N,) probability that it is right where it answers by itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """The result of an E-step."""

    right: Floats
    """(C,) probability that a class is right."""
    hardness: Floats
    """(K, 3) probabilities that a query is easy, usual or hard."""
    log_likelihood: float


def log_likelihood(
    votes: VoteMatrix, classes: QueryClasses, groups: Integers, collapsed: GroupVotes, truth: Truth
) -> float:
    """Of the votes of groups, and of members given their group; the truth is summed over, and so, nearly, are the
    probabilities.

    A group is right with the log odds `ability - hardness` (Rasch 1960), a member repeats its group or answers by
    itself, wrong answers are drawn from a distribution of the query's own (Dirichlet-multinomial; popularity of false
    values as in Dong, Saha & Srivastava 2013). Fitted by expectation maximisation from `truth`.
    """
    layout = PartitionVotes.of(votes, classes, groups, collapsed)
    parameters = Parameters(
        ability=logit(group_reliability(collapsed, truth.right)),
        hardness=_HARDNESS_PRIOR,
        concentration=1.0,
        popularity=truth.right,
        copy_rate=np.full(groups.size, 0.8),
        own_reliability=np.full(groups.size, 0.5),
    )
    posterior = Posterior(truth.right, np.tile(_HARDNESS_PRIOR, (classes.first.size, 1)), -np.inf)
    for _ in range(_ROUNDS):
        parameters = _m_step(layout, parameters, posterior)
        posterior = _e_step(layout, parameters)
    return posterior.log_likelihood - _penalty(layout, parameters, posterior)


def _e_step(layout: PartitionVotes, parameters: Parameters) -> Posterior:
    """Sum every query over which answer is right, those that nobody gave included, and over how hard it is."""
    classes, collapsed = layout.classes, layout.collapsed
    score, nobody = _wrong_votes(layout, parameters.concentration)
    if_wrong, if_right = _member_log_likelihood(layout, parameters)
    score = score + np.bincount(layout.vote_class, if_right - if_wrong, minlength=score.size) - nobody[classes.row]
    score += np.bincount(collapsed.vote_class, parameters.ability[collapsed.group], minlength=score.size)
    log_mass, right = np.empty((nobody.size, _HARDNESS.size)), np.empty((score.size, _HARDNESS.size))
    query = classes.row[collapsed.vote_class]
    for level, hardness in enumerate(_HARDNESS):
        log_odds = score - hardness * layout.support
        total = log_total_odds(classes, log_odds, layout.wrong_answers)
        right[:, level] = np.exp(log_odds - total[classes.row])
        normaliser = np.logaddexp(0, parameters.ability - hardness)[collapsed.group]
        log_mass[:, level] = total - np.bincount(query, normaliser, minlength=nobody.size)
    joint = log_mass + np.log(parameters.hardness)
    log_evidence = np.logaddexp.reduce(joint, axis=1)
    hard = np.exp(joint - log_evidence[:, None])
    per_query = log_evidence + nobody - np.log(layout.wrong_answers + 1)
    return Posterior((right * hard[classes.row]).sum(axis=1), hard, float(per_query.sum() + if_wrong.sum()))


def _m_step(layout: PartitionVotes, parameters: Parameters, posterior: Posterior) -> Parameters:
    """One step towards the parameters under which the posterior is likeliest."""
    concentration = _likeliest_concentration(layout, posterior.right)
    wrong = layout.classes.total(layout.support * (1 - posterior.right))[layout.classes.row]
    popularity = (concentration + layout.support) / (layout.wrong_answers * concentration + wrong)
    repeated, right, wrong_votes = _member_counts(
        layout, replace(parameters, popularity=popularity.clip(max=1.0)), posterior.right
    )
    own = right + wrong_votes
    return Parameters(
        ability=_updated_ability(layout, parameters.ability, posterior),
        hardness=(posterior.hardness.sum(axis=0) + 1) / (posterior.hardness.shape[0] + _HARDNESS.size),
        concentration=concentration,
        popularity=popularity.clip(max=1.0),
        copy_rate=((repeated + 1) / (repeated + own + 2)).clip(0.01, 0.999),
        own_reliability=((right + 1) / (own + 2)).clip(0.01, 0.99),
    )


def _penalty(layout: PartitionVotes, parameters: Parameters, posterior: Posterior) -> float:
    """What the likelihood gains because every probability was fitted to the votes, against a uniform prior over it:
    nearly nothing where there is little evidence, most for a probability of 1.
    """
    right = layout.by_group(posterior.right[layout.collapsed.vote_class])
    wrong = layout.by_group((1 - posterior.right[layout.collapsed.vote_class]).clip(min=0.0))
    repeated, own_right, own_wrong = _member_counts(layout, parameters, posterior.right)
    fitted = ((right, wrong), (repeated, own_right + own_wrong), (own_right, own_wrong))
    return sum(_fitted_gain(*counts) for counts in fitted)


def _fitted_gain(successes: Floats, failures: Floats) -> float:
    """Log of the largest likelihood of a probability over the mean one, summed over all pairs of counts."""
    total = np.maximum(successes + failures, 1e-9)
    largest = xlogy(successes, successes / total) + xlogy(failures, failures / total)
    return float((largest - betaln(successes + 1, failures + 1)).sum())


def _wrong_votes(layout: PartitionVotes, concentration: float) -> tuple[Floats, Floats]:
    """Log probability of how the wrong votes of groups split: (C,) if a class is right, (K,) if none is."""
    classes, support = layout.classes, layout.support
    votes = classes.total(support.astype(np.float64)).astype(np.int64)
    counts = np.arange(int(votes.max()) + 1)
    of_class = (gammaln(concentration + counts) - gammaln(concentration))[support]
    spread = concentration * layout.wrong_answers
    of_query = gammaln(spread + counts) - gammaln(spread)
    total = classes.total(of_class)
    return total[classes.row] - of_class - of_query[votes[classes.row] - support], total - of_query[votes]


def _member_log_likelihood(layout: PartitionVotes, parameters: Parameters) -> tuple[Floats, Floats]:
    """(U,) log probability of every member's vote, if it is wrong and if it is right."""
    copy_rate, reliability = parameters.copy_rate[layout.source], parameters.own_reliability[layout.source]
    copied = copy_rate * layout.follows
    wrong = copied + (1 - copy_rate) * (1 - reliability) * parameters.popularity[layout.vote_class]
    return np.log(wrong), np.log(copied + (1 - copy_rate) * reliability)


def _likeliest_concentration(layout: PartitionVotes, right: Floats) -> float:
    nobody = (1 - layout.classes.total(right)).clip(min=0.0)

    def likelihood(concentration: float) -> float:
        if_right, if_none = _wrong_votes(layout, concentration)
        return float(right @ if_right + nobody @ if_none)

    return max(_CONCENTRATIONS, key=likelihood)


def _updated_ability(layout: PartitionVotes, ability: Floats, posterior: Posterior) -> Floats:
    """One Newton step for every group, shrunk towards the mean where votes are few."""
    collapsed = layout.collapsed
    right = layout.by_group(posterior.right[collapsed.vote_class])
    votes = layout.by_group(np.ones(collapsed.vote_class.size))
    mean = (right.sum() + 1) / (votes.sum() + 2)
    query = layout.classes.row[collapsed.vote_class]
    columns = np.ascontiguousarray(posterior.hardness.T)
    hardness = np.stack([layout.by_group(column[query]) for column in columns], axis=1)
    at_level, usual = expit(ability[:, None] - _HARDNESS), expit(ability)
    gradient = right + _PRIOR_VOTES * (mean - usual) - (hardness * at_level).sum(axis=1)
    curvature = (hardness * at_level * (1 - at_level)).sum(axis=1) + _PRIOR_VOTES * usual * (1 - usual)
    updated: Floats = ability + (gradient / curvature).clip(-2.0, 2.0)
    return updated.clip(-_LARGEST_ABILITY, _LARGEST_ABILITY)


def _member_counts(layout: PartitionVotes, parameters: Parameters, right: Floats) -> tuple[Floats, Floats, Floats]:
    """(N,) expected votes of members that repeat their group, and of their own the right and the wrong ones."""
    vote_right, source = right[layout.vote_class], layout.source
    copy_rate, reliability = parameters.copy_rate[source], parameters.own_reliability[source]
    copied = copy_rate * layout.follows
    own = vote_right * reliability + (1 - vote_right) * (1 - reliability) * parameters.popularity[layout.vote_class]
    copied = copied / (copied + (1 - copy_rate) * own)
    own_right = (1 - copied) * vote_right
    own_wrong = (1 - copied - own_right).clip(min=0.0)
    return layout.by_source(copied), layout.by_source(own_right), layout.by_source(own_wrong)


def _member_votes(votes: VoteMatrix, groups: Integers, collapsed: GroupVotes) -> tuple[Integers, Integers, Floats]:
    """Source and class of the votes of members of groups of several, and 1 where the group votes the same."""
    vote_class, source = votes.vote_class, votes.source.astype(np.int64)
    of_several = (np.bincount(groups)[groups] > 1)[source]
    vote_class, source = vote_class[of_several], source[of_several]
    group_keys = np.sort(collapsed.vote_class * collapsed.group_count + collapsed.group)
    keys = vote_class * collapsed.group_count + groups[source]
    place = np.minimum(np.searchsorted(group_keys, keys), max(group_keys.size - 1, 0))
    return source, vote_class, (group_keys[place] == keys).astype(np.float64)
