"""Electorates of given weights, and drawn ones with everything that an electorate knows."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Generic

from answering.voting import CastVote, Electorate, Period, Voter
from answering.voting.voter import Source
from estimator.weights import accuracy_weight

NOW = datetime(2026, 1, 1, tzinfo=UTC)
EARLIER = NOW - timedelta(days=50)


def of_weights(weights: Sequence[float]) -> Electorate[int]:
    """Independent sources whose votes weigh so much."""
    voters = [Voter(source, float(weight)) for source, weight in enumerate(weights)]
    return Electorate(voters, prior=0.6, prior_lower=0.5, labels=10, weigh=lambda weight, _: weight)


def cast(*keys: str) -> list[CastVote[int]]:
    """A vote of each source for one answer."""
    return [CastVote(source, key, key) for source, key in enumerate(keys)]


@dataclass(frozen=True)
class World(Generic[Source]):
    """An electorate and the votes of all its sources on one question."""

    electorate: Electorate[Source]
    votes: Sequence[CastVote[Source]]


def drawn(seed: int) -> World[int]:
    """Up to five sources: some new, some in copy groups, some that turned, some misread, some newer than
    the estimate, with weights of either sign.
    """
    draw = random.Random(seed)
    keys = "abc"[: draw.randint(1, 3)]
    misread, turned, newer = draw.random() < 0.3, draw.random() < 0.3, draw.random() < 0.4
    labels = draw.choice([2, 3, 10])
    voters, votes = [], []
    for source in range(draw.randint(1, 5)):
        is_new = draw.random() < 0.2
        reliability = None if is_new else round(draw.random(), draw.choice([1, 3]))
        periods: tuple[Period, ...] = ()
        if turned and reliability is not None:
            periods = (Period(EARLIER - timedelta(days=9), round(draw.random(), 2)), Period(NOW, reliability))
        voter = Voter(
            source,
            reliability,
            is_new=is_new,
            overridden=not is_new and draw.random() < 0.1,
            copy_group=None if is_new else draw.choice([None, None, "g", "g", "h"]),
            periods=periods,
            read_share=0.8 if misread and not is_new else None,
        )
        voters.append(voter)
        vote = CastVote(
            source,
            draw.choice(keys),
            "answer",
            published_at=draw.choice([None, EARLIER]),
            reading_confidence=draw.choice([0.3, 0.9]) if misread else None,
            is_newer=newer and not voter.overridden and draw.random() < 0.4,
        )
        votes.append(vote)
    weigh = draw.choice([accuracy_weight, lambda *_: 1.0])
    electorate = Electorate(voters, prior=0.6, prior_lower=draw.choice([0.3, 0.6]), labels=labels, weigh=weigh)
    return World(electorate, votes)
