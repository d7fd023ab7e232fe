"""The probability that a vote is a misreading, seen again by the wording of its answer where the votes suspect it.

To the estimate every other answer is equally far from that of the run. A spelling of the same name or the number of
another year stands in the text, while a misreading is mostly unlike all that other sources say, and nobody shares it.
A logistic regression on three signs was fitted to 135 suspected votes, read by hand or by rules, of countries and web
results (the halves to develop on). On their other halves and the demo, 0.24, 0.80 and 0.34 of the suspected votes were
misreadings, and 0.57, 0.84 and 0.90 of those that stay suspected are, with 0.88, 0.66 and 0.75 of all misreadings.
"""

from typing import Final

import numpy as np
from rapidfuzz import fuzz, process
from scipy.special import expit, logit

from estimator import Estimate, VoteMatrix
from estimator.arrays.types import Floats, Integers
from estimator.group_votes import voices
from registry.estimations.store.votes import RunVotes, class_wordings
from registry.platform.database.base import AsyncSession
from registry.readings.store.misreadings import SUSPECTED

# With half or double of each of the last three, at least 0.36 of the suspected are misread on every one of these sets.
_INTERCEPT: Final = 0.8
_OF_CONFIDENCE: Final = -1.5
_OF_LIKENESS: Final = -5.5
_OF_MAJORITY: Final = 1.5
_MOST_COMPARED: Final = 200
"""Answers to a query with which each is compared, those with the most votes."""


async def misread_votes(
    session: AsyncSession, run_votes: RunVotes, votes: VoteMatrix, estimate: Estimate
) -> Floats | None:
    """(V,) the probabilities in the order of `votes.triples()`; None where the estimate has none."""
    if estimate.misread is None or votes.read is None:
        return None
    suspected = np.flatnonzero(estimate.misread >= SUSPECTED)
    if not suspected.size:
        return estimate.misread
    of_vote = votes.vote_class[suspected]
    classes = np.flatnonzero(np.isin(votes.class_query, votes.class_query[of_vote]))
    query, answer = votes.class_query[classes].astype(np.int64), votes.class_answer[classes]
    wordings = await class_wordings(session, run_votes, query, answer)
    texts = [wordings.get(pair, "") for pair in zip(query.tolist(), answer.tolist(), strict=True)]
    likeness, majority = compared(query, texts, voices(votes, estimate.groups)[classes])
    place = np.searchsorted(classes, of_vote)
    probability = chance_misread(votes.read[suspected], likeness[place], majority[place])
    misread = estimate.misread.copy()
    # An answer that is alone with its query is compared with nothing.
    misread[suspected] = np.where(majority[place] > 0, probability, misread[suspected])
    return misread


def chance_misread(confidence: Floats, likeness: Floats, majority: Floats) -> Floats:
    """Of votes that the estimate suspects, given the reader's confidence and what `compared` says of their answers.

    >>> chance_misread(np.array([0.4, 0.4]), np.array([0.2, 0.8]), np.array([4.0, 4.0])).round(2).tolist()
    [0.92, 0.29]
    """
    sure = _OF_CONFIDENCE * logit(np.clip(confidence, 0.05, 0.95))
    with np.errstate(divide="ignore"):
        chance: Floats = expit(_INTERCEPT + sure + _OF_LIKENESS * likeness + _OF_MAJORITY * np.log(majority))
    return chance


def compared(query: Integers, texts: list[str], supporters: Integers) -> tuple[Floats, Floats]:
    """How like each of C answers is to the likest other one to its query, from 0 to 1, and how many times its own
    supporters another one has at most; 0 and 0 for the only answer. An answer of copies that count for another one has
    none, and counts as one. The queries (C,) are in order.

    >>> likeness, majority = compared(np.array([0, 0, 0]), ["Alger", "Algiers", "DZA"], np.array([1, 6, 1]))
    >>> likeness.round(1).tolist(), majority.round(1).tolist()
    ([0.8, 0.8, 0.2], [6.0, 0.2, 6.0])
    >>> compared(np.array([0, 0]), ["Oslo", "Bergen"], np.array([0, 3]))[1].tolist()
    [3.0, 0.0]
    """
    likeness, majority = np.zeros(query.size), np.zeros(query.size)
    for own in np.split(np.arange(query.size), np.flatnonzero(np.diff(query)) + 1):
        others = own[np.argsort(-supporters[own], kind="stable")[:_MOST_COMPARED]]
        distinct = own[:, None] != others
        words = [[texts[place] for place in places] for places in (own, others)]
        alike = process.cdist(*words, scorer=fuzz.ratio, processor=str.casefold)
        likeness[own] = (alike * distinct).max(axis=1) / 100
        majority[own] = (supporters[others] * distinct).max(axis=1) / np.maximum(supporters[own], 1)
    return likeness, majority
