"""The votes that look misread: errors of the reader, not statements of their sources.

>>> import numpy as np
>>> from estimator import VoteMatrix, estimate
>>> query, source = np.divmod(np.arange(120), 4)
>>> answer = np.where(query % 5 == source, 1, 0)
>>> votes = VoteMatrix.from_triples(query, source, answer, query_count=30, source_count=4)
>>> doubtful = np.where(votes.triples()[2] == 1, 0.6, 0.05)
>>> result = estimate(votes.with_misreadings(doubtful), "one_coin")
>>> bool(result.misread[votes.triples()[2] == 1].min() > 0.8), bool(result.reliability.min() > 0.9)
(True, True)
"""

import numpy as np

from estimator.arrays.readings import Statements, right_votes
from estimator.arrays.types import Floats, read_only
from estimator.result import Estimate
from estimator.votes import VoteMatrix


def misread_votes(votes: VoteMatrix, result: Estimate, time: Floats | None = None) -> Floats | None:
    """(V,) probability that each vote is a misreading, by the estimate of all sources; None where no vote may be one,
    or the method does not tell. `time` (V,) is when each vote was published.
    """
    if votes.read is None or result.method != "one_coin":
        return None
    statements = Statements.of(votes.read, _reliability_of_votes(votes, result, time), 1 / result.labels)
    return read_only(statements.misread(right_votes(votes.table(), result.posterior)))


def _reliability_of_votes(votes: VoteMatrix, result: Estimate, time: Floats | None) -> Floats:
    """(V,) the reliability of the source of each vote, on the topic of its query and in the period of its time."""
    reliability = result.reliability[votes.source]
    if result.topics is not None:
        topic = result.topics.topics.query_topic[votes.class_query[votes.vote_class]]
        reliability = result.topics.reliability[votes.source, topic]
    if time is None:
        return reliability
    for history in result.histories:
        own = np.flatnonzero(votes.source == history.source)
        for period in history.periods[:-1]:
            there = own[(time[own] >= period.start) & (time[own] <= period.end)]
            reliability[there] = period.reliability
    return reliability
