"""Reliability over time: sources that turn, and what they are worth at present.

`following_turns` takes the estimate of a method, looks for sources whose votes are explained better by two
reliabilities, one before and one after a point in time (`change_points`), and fits the method again with every period
of such a source as a source of its own (`periods`), until the periods stay as they are. What happens to all sources at
the same time, e.g. queries that become harder, is no turn (`difficulty`).

>>> import numpy as np
>>> from estimator import estimate
>>> from estimator.drift.synthetic import DriftScenario, draw_drift
>>> scenario = DriftScenario((0.8,) * 6 + (0.9,), turned_reliability={6: 0.1})
>>> sample = draw_drift(scenario, np.random.default_rng(0))
>>> result = estimate(sample.votes, "bayes", time=sample.time)
>>> [(history.source, len(history.periods)) for history in result.histories]
[(6, 2)]
>>> bool(result.reliability[6] < 0.3)
True
"""

from estimator.drift.following import PRIOR_ODDS, following_turns
from estimator.drift.periods import Periods

__all__ = ["PRIOR_ODDS", "Periods", "following_turns"]
