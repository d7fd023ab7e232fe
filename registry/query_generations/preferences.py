"""The facts worth asking first by the current run: those of sources with wide intervals, those of pairs of sources that
often contradict each other, and those on topics with few queries.

A fact is judged before anybody reads it, by the passages nearest to its question. Each preference ranks the facts, and
the ranks are added, so that no unit is weighed against another; wide intervals and contradictions, which favour nearly
the same facts, count half each.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from answering.embedders.embedder import Vectors

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Preferences:
    """The state of the sources of a corpus in a run."""

    widths: Mapping[UUID, float]
    """Widths of the intervals of sources with votes; that of any other is 1."""
    contradictions: Mapping[frozenset[UUID], float] = field(default_factory=dict)
    """Share of shared queries that two sources answer differently, in [0, 1]; 0 if unknown."""

    def order(self, near: Sequence[Mapping[UUID, float]], vectors: Vectors, centre: Vectors | None) -> list[int]:
        """Positions of facts, those first that are worth most.

        `near` are the sources with passages near each fact's question with their similarity in [0, 1], `vectors` (n, d)
        the embeddings of the questions, `centre` (d,) is the mean of those of the queries that the corpus has.
        """
        wide = np.array([self._width(sources) for sources in near])
        disputed = np.array([self._contradiction(sources) for sources in near])
        # The mean cosine to the queries: low where few are on the topic.
        thin = np.zeros(len(near)) if centre is None else -np.asarray(vectors @ centre, dtype=np.float64)
        added = _ranks(wide) + _ranks(disputed) + 2 * _ranks(thin)
        return list(map(int, np.argsort(added, kind="stable")))

    def _width(self, sources: Mapping[UUID, float]) -> float:
        return sum(similarity * self.widths.get(source_id, 1.0) for source_id, similarity in sources.items())

    def _contradiction(self, sources: Mapping[UUID, float]) -> float:
        return sum(
            self.contradictions.get(frozenset(pair), 0.0) * sources[pair[0]] * sources[pair[1]]
            for pair in combinations(sources, 2)
        )


def _ranks(values: Floats) -> NDArray[np.int64]:
    """Places from the largest value on; equal values share the first of theirs."""
    return np.searchsorted(np.sort(-values), -values).astype(np.int64)
