"""Reliability over time: sources that turn, and what they are worth at present.

`following_turns` takes the estimate of a method, looks for sources whose votes are explained better by two
reliabilities, one before and one after a point in time (`change_points`), and fits the method again with every period
of such a source as a source of its own, until the periods stay as they are. What happens to all sources at
the same time, e.g. queries that become harder, is no turn (`difficulty`).
"""

from estimator.drift.following import PRIOR_ODDS, Periods, following_turns

__all__ = ["PRIOR_ODDS", "Periods", "following_turns"]
