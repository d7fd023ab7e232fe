"""Reliability by topic: which queries belong together, and how reliable each source is on them.

Queries are first put into many small clusters: by the topic that the caller gave, else by their embeddings
(`structure`). Clusters on which the sources are right alike then form one topic (`profiles`); how many clusters and
topics there are is decided by votes held out, and one topic stands unless more of them predict these votes better
(`structure`). The one-coin model then takes every pair of source and topic for a source of its own, with a prior around
the reliability of the source (`pooling`).
"""

from estimator.topics.queries import NEAREST_PASSAGES, QueryTopics, expanded
from estimator.topics.structure import find_topics, topic_probabilities

__all__ = ["NEAREST_PASSAGES", "QueryTopics", "expanded", "find_topics", "topic_probabilities"]
