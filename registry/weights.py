"""What each source's vote counts when a question is asked."""

from uuid import UUID

from answering.selection import Ranked
from registry.standings import Standings

# The mean of Beta(6, 4), RA-RAG's prior for reliabilities: what a source counts as before any estimation.
PRIOR_RELIABILITY = 0.6


class Weights:
    """What each source's vote counts, and what it counts as where no estimation knows it yet."""

    def __init__(self, current: Standings) -> None:
        known = [standing.reliability for standing in current.items if standing.reliability is not None]
        self.default = sum(known) / len(known) if current.estimation_id and known else PRIOR_RELIABILITY
        self.labels = current.labels or max(len(current.items), 2)
        self._standings = {standing.source_id: standing for standing in current.items}

    def reliability(self, source_id: UUID) -> float:
        """Override, else estimate, else the mean of the corpus, else the prior."""
        known = self._standings[source_id].reliability
        return self.default if known is None else known

    def weight(self, source_id: UUID) -> float:
        """`L * w - 1` (RA-RAG section 3.3), with the L of the current run."""
        return self.labels * self.reliability(source_id) - 1

    def ranked(self, source_id: UUID, relevance: float | None) -> Ranked[UUID]:
        """The source as the selection sees it."""
        return Ranked(source_id, self.reliability(source_id), self.weight(source_id), relevance)
