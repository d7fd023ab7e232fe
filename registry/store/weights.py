"""What each source's vote counts when a question is asked."""

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from uuid import UUID

from answering.voting.selection import Ranked
from estimator import Method
from registry.inputs.answers import RankBy
from registry.store.reliabilities import Reliabilities

# The mean of Beta(6, 4), RA-RAG's prior for reliabilities: what a source counts as before any estimation.
PRIOR_RELIABILITY = 0.6
# No source is as sure as an operator may say, or its vote would be worth any number of others.
FLOOR, CEILING = 0.01, 0.99
MODELS = (Method.BAYES, Method.CONFUSION)


class Weights:
    """What each source's vote counts, and what it counts as where no estimation knows it yet."""

    def __init__(self, current: Reliabilities) -> None:
        run = current.run
        self.default = PRIOR_RELIABILITY if run is None else _usual(current, run.prior)
        self._cautious_default = self.default if run is None or run.prior_lower is None else run.prior_lower
        self.labels = (run.labels if run else None) or max(len(current.sources), 2)
        self._by_model = run is not None and run.method in MODELS
        self._standings = {standing.source_id: standing for standing in current.sources}

    def reliability(self, source_id: UUID) -> float:
        """Override, else estimate, else the prior of the corpus, else that of the paper."""
        known = self._standings[source_id].reliability
        return self.default if known is None else known

    def lower(self, source_id: UUID) -> float:
        """Override, else lower end of the interval of the estimate, else that of the prior of the corpus."""
        standing = self._standings[source_id]
        if standing.override is not None or standing.reliability is None:
            return self._cautious_default if standing.reliability is None else standing.reliability
        return standing.reliability if standing.lower is None else standing.lower

    def weight(self, source_id: UUID) -> float:
        """What the vote of a source counts, if no other of its voice says the same."""
        return self.of(self.reliability(source_id))

    def of(self, reliability: float) -> float:
        """`L * w - 1` (RA-RAG section 3.3), with the L of the current run; after `bayes` and `confusion` what is
        best under their model, `log (w / (1 - w)) + log (L - 1)` (Nitzan and Paroush 1982, for L labels).
        """
        if not self._by_model:
            return self.labels * reliability - 1
        inside = min(max(reliability, FLOOR), CEILING)
        return math.log(inside / (1 - inside)) + math.log(max(self.labels - 1, 1))

    def voice(self, source_id: UUID) -> Hashable:
        """What it is one voice with: a number of the current run, or itself."""
        voice = self._standings[source_id].voice
        return source_id if voice is None else voice

    def shares(self, answers: Mapping[UUID, str]) -> dict[UUID, float]:
        """What part of its weight each vote counts: sources of one voice that say the same count once together."""
        said = {source_id: (self.voice(source_id), key) for source_id, key in answers.items()}
        present = Counter(said.values())
        return {source_id: 1 / present[one] for source_id, one in said.items()}

    def independent(self, answers: Mapping[UUID, str]) -> list[UUID]:
        """One source for each voice behind each answer, the first."""
        first: dict[tuple[Hashable, str], UUID] = {}
        for source_id, key in answers.items():
            first.setdefault((self.voice(source_id), key), source_id)
        return list(first.values())

    def voices(self, source_ids: Sequence[UUID]) -> int:
        """How many independent voices these sources are."""
        return len({self.voice(source_id) for source_id in source_ids})

    @property
    def shared(self) -> bool:
        """Whether any two of the sources are one voice."""
        return any(standing.voice is not None for standing in self._standings.values())

    def ranked(self, source_id: UUID, relevance: float | None, by: RankBy = RankBy.RELIABILITY) -> Ranked[UUID]:
        """The source as the selection sees it."""
        place = self.lower(source_id) if by is RankBy.LOWER_BOUND else self.reliability(source_id)
        return Ranked(source_id, place, self.weight(source_id), relevance, self._standings[source_id].voice)


def _usual(current: Reliabilities, prior: float | None) -> float:
    """The prior of the current run; runs of former versions kept none, and the mean of their estimates stands in."""
    if prior is not None:
        return prior
    known = [standing.reliability for standing in current.sources if standing.reliability is not None]
    return sum(known) / len(known) if known else PRIOR_RELIABILITY
