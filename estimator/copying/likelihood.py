"""How well a division into groups explains all votes: the judge between stories that are each consistent.

Where a crowd of copiers outvotes the others, "they are right and the others copy each other" and "they copy and the
others are right" can both stand. What tells them apart is where sources go when they leave their group: copiers of an
error who look for themselves find the truth, honest sources who err scatter. That sources agree has other reasons too,
and a judge who does not know them sees copies everywhere: some queries are hard for all, some errors are common ones.
"""

from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np
from scipy.special import betaln, expit, gammaln, logit, xlogy

from estimator.copying.collapse import GroupVotes
from estimator.copying.layout import Ballots, Floats, class_of_votes
from estimator.copying.truth import Truth, log_mass, reliability
from estimator.votes import Integers, VoteMatrix

_ROUNDS: Final = 10
_HARDNESS: Final[Floats] = np.array([-1.5, 0.0, 1.5])
"""By how much the log odds of being right are lower on queries that are easy, usual and hard."""
_USUAL: Final[Floats] = np.array([0.25, 0.5, 0.25])
_CONCENTRATIONS: Final = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.0, 10.0, 1000.0)
_PRIOR_VOTES: Final = 2.0
_FURTHEST: Final = 6.0


@dataclass(frozen=True, slots=True, eq=False)
class Story:
    """The votes as one division into groups tells them: those of G groups, and U votes of members of several."""

    ballots: Ballots
    kept: GroupVotes
    source: Integers
    """(U,)"""
    klass: Integers
    """(U,)"""
    follows: Floats
    """(U,) 1 where the group votes the same."""
    support: Integers
    """(C,) groups behind every class."""
    source_count: int
    wrong_answers: float

    @classmethod
    def of(cls, votes: VoteMatrix, ballots: Ballots, groups: Integers, kept: GroupVotes) -> Self:
        """Lay out; the number of wrong answers is that of the most disputed query, the same for all divisions."""
        source, klass, follows = _memberships(votes, groups, kept)
        support = kept.support(ballots.row.size).astype(np.int64)
        wrong_answers = float(max(int(ballots.rivals.max()) - 1, 2))
        return cls(ballots, kept, source, klass, follows, support, groups.size, wrong_answers)

    def by_source(self, value: Floats) -> Floats:
        """(N,) sum of a (U,) value over every source."""
        return np.bincount(self.source, value, minlength=self.source_count).astype(np.float64)

    def by_group(self, value: Floats) -> Floats:
        """(G,) sum of a value (W,) of the votes of groups."""
        return np.bincount(self.kept.group, value, minlength=self.kept.group_count).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Parameters:
    """What a story says of those in it."""

    ability: Floats
    """(G,) log odds that a group is right on a usual query."""
    hardness: Floats
    """(3,) shares of easy, usual and hard queries."""
    concentration: float
    """Of the Dirichlet distribution of wrong answers, for each of them: low where errors are common ones."""
    popular: Floats
    """(C,) chance that somebody wrong answers so."""
    repeats: Floats
    """(N,) chance that a member of a group repeats it."""
    right: Floats
    """(N,) chance that it is right where it answers by itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What the votes come to under a story's parameters."""

    chance: Floats
    """(C,) that a class is right."""
    hard: Floats
    """(K, 3) chances that a query is easy, usual or hard."""
    log_likelihood: float


def log_likelihood(votes: VoteMatrix, ballots: Ballots, groups: Integers, kept: GroupVotes, truth: Truth) -> float:
    """Of the votes of groups and of members given their group; truth is summed over, and so, nearly, are chances.

    A group is right by its ability less the query's hardness (Rasch 1960), a member repeats its group or answers by
    itself, wrong answers are drawn from a distribution of the query's own (Dirichlet-multinomial; popularity of false
    values as in Dong, Saha and Srivastava, VLDB 2013). Fitted by expectation maximisation from `truth`.
    """
    story = Story.of(votes, ballots, groups, kept)
    start = logit(reliability(kept, truth.chance))
    alone = np.full(groups.size, 0.5)
    parameters = Parameters(start, _USUAL, 1.0, truth.chance, np.full(groups.size, 0.8), alone)
    reading = Reading(truth.chance, np.tile(_USUAL, (ballots.first.size, 1)), -np.inf)
    for _ in range(_ROUNDS):
        parameters = fitted(story, parameters, reading)
        reading = read(story, parameters)
    return reading.log_likelihood - _freedom(story, parameters, reading)


def read(story: Story, parameters: Parameters) -> Reading:
    """Sum every query over what is right, nobody's answers included, and over how hard it is."""
    ballots, kept = story.ballots, story.kept
    told, nobody = _wrong_votes(story, parameters.concentration)
    apart, together = _of_members(story, parameters)
    told = told + np.bincount(story.klass, together - apart, minlength=told.size) - nobody[ballots.row]
    told += np.bincount(kept.klass, parameters.ability[kept.group], minlength=told.size)
    mass, chances = np.empty((nobody.size, _HARDNESS.size)), np.empty((told.size, _HARDNESS.size))
    query = ballots.row[kept.klass]
    for place, hardness in enumerate(_HARDNESS):
        score = told - hardness * story.support
        answers = log_mass(ballots, score, story.wrong_answers)
        chances[:, place] = np.exp(score - answers[ballots.row])
        either = np.logaddexp(0, parameters.ability - hardness)[kept.group]
        mass[:, place] = answers - np.bincount(query, either, minlength=nobody.size)
    joint = mass + np.log(parameters.hardness)
    total = np.logaddexp.reduce(joint, axis=1)
    hard = np.exp(joint - total[:, None])
    each = total + nobody - np.log(story.wrong_answers + 1)
    return Reading((chances * hard[ballots.row]).sum(axis=1), hard, float(each.sum() + apart.sum()))


def fitted(story: Story, parameters: Parameters, reading: Reading) -> Parameters:
    """One step towards the parameters under which the reading is likeliest."""
    concentration = _concentration(story, reading.chance)
    missing = story.ballots.total(story.support * (1 - reading.chance))[story.ballots.row]
    popular = (concentration + story.support) / (story.wrong_answers * concentration + missing)
    hardness = (reading.hard.sum(axis=0) + 1) / (reading.hard.shape[0] + _HARDNESS.size)
    known = replace(parameters, concentration=concentration, popular=popular.clip(max=1.0), hardness=hardness)
    known = replace(known, ability=_abler(story, known.ability, reading))
    return _of_their_own(story, known, reading.chance)


def _freedom(story: Story, parameters: Parameters, reading: Reading) -> float:
    """What the votes gain by every chance having been fitted to them, against an even prior over it: nearly nothing
    where they say little of it, most for a chance of 1, so that to be always right is as odd as to copy all.
    """
    right = story.by_group(reading.chance[story.kept.klass])
    wrong = story.by_group((1 - reading.chance[story.kept.klass]).clip(min=0.0))
    repeated, found, missed = _kinds(story, parameters, reading.chance)
    return _fitted_gain(right, wrong) + _fitted_gain(repeated, found + missed) + _fitted_gain(found, missed)


def _fitted_gain(one: Floats, other: Floats) -> float:
    """Log of the best chance's likelihood over the mean one's, for so many outcomes of one kind and of the other."""
    total = np.maximum(one + other, 1e-9)
    best = xlogy(one, one / total) + xlogy(other, other / total)
    return float((best - betaln(one + 1, other + 1)).sum())


def _wrong_votes(story: Story, concentration: float) -> tuple[Floats, Floats]:
    """Log probability of how the wrong votes of groups split: (C,) if a class is right, (K,) if none is."""
    ballots, support = story.ballots, story.support
    cast = ballots.total(support.astype(np.float64)).astype(np.int64)
    counts = np.arange(int(cast.max()) + 1)
    one = (gammaln(concentration + counts) - gammaln(concentration))[support]
    spread = concentration * story.wrong_answers
    together = gammaln(spread + counts) - gammaln(spread)
    total = ballots.total(one)
    return total[ballots.row] - one - together[cast[ballots.row] - support], total - together[cast]


def _of_members(story: Story, parameters: Parameters) -> tuple[Floats, Floats]:
    """(U,) log probability of every member's vote, if it is wrong and if it is right."""
    repeats, right = parameters.repeats[story.source], parameters.right[story.source]
    taken = repeats * story.follows
    wrong = taken + (1 - repeats) * (1 - right) * parameters.popular[story.klass]
    return np.log(wrong), np.log(taken + (1 - repeats) * right)


def _concentration(story: Story, chance: Floats) -> float:
    """The likeliest of a few."""
    nobody = (1 - story.ballots.total(chance)).clip(min=0.0)

    def likelihood(concentration: float) -> float:
        told, untold = _wrong_votes(story, concentration)
        return float(chance @ told + nobody @ untold)

    return max(_CONCENTRATIONS, key=likelihood)


def _abler(story: Story, ability: Floats, reading: Reading) -> Floats:
    """One step of Newton's for every group, drawn towards the mean where votes are few."""
    right = story.by_group(reading.chance[story.kept.klass])
    cast = story.by_group(np.ones(story.kept.klass.size))
    mean = (right.sum() + 1) / (cast.sum() + 2)
    query = story.ballots.row[story.kept.klass]
    hard = np.stack([story.by_group(column[query]) for column in np.ascontiguousarray(reading.hard.T)], axis=1)
    each, now = expit(ability[:, None] - _HARDNESS), expit(ability)
    gradient = right + _PRIOR_VOTES * (mean - now) - (hard * each).sum(axis=1)
    curvature = (hard * each * (1 - each)).sum(axis=1) + _PRIOR_VOTES * now * (1 - now)
    moved: Floats = ability + (gradient / curvature).clip(-2.0, 2.0)
    return moved.clip(-_FURTHEST, _FURTHEST)


def _of_their_own(story: Story, parameters: Parameters, chance: Floats) -> Parameters:
    """How often members repeat their group, and how often they are right where they do not."""
    repeated, found, missed = _kinds(story, parameters, chance)
    own = found + missed
    return replace(
        parameters,
        repeats=((repeated + 1) / (repeated + own + 2)).clip(0.01, 0.999),
        right=((found + 1) / (own + 2)).clip(0.01, 0.99),
    )


def _kinds(story: Story, parameters: Parameters, chance: Floats) -> tuple[Floats, Floats, Floats]:
    """(N,) votes of members that repeat their group, and of those that do not the right and the wrong ones."""
    told, source = chance[story.klass], story.source
    repeats, right = parameters.repeats[source], parameters.right[source]
    taken = repeats * story.follows
    alone = told * right + (1 - told) * (1 - right) * parameters.popular[story.klass]
    taken = taken / (taken + (1 - repeats) * alone)
    own = (1 - taken) * told
    return story.by_source(taken), story.by_source(own), story.by_source((1 - taken - own).clip(min=0.0))


def _memberships(votes: VoteMatrix, groups: Integers, kept: GroupVotes) -> tuple[Integers, Integers, Floats]:
    """Source and class of the votes cast in groups of several, and 1 where the group votes the same."""
    klass, source = class_of_votes(votes), votes.source.astype(np.int64)
    several = (np.bincount(groups)[groups] > 1)[source]
    klass, source = klass[several], source[several]
    key = np.sort(kept.klass * kept.group_count + kept.group)
    wanted = klass * kept.group_count + groups[source]
    place = np.minimum(np.searchsorted(key, wanted), max(key.size - 1, 0))
    return source, klass, (key[place] == wanted).astype(np.float64)
