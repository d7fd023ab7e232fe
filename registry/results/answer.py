"""The answer as it is stored and shown: every number that made it, and where each comes from."""

from datetime import datetime
from enum import StrEnum
from uuid import UUID

from answering.voting.outcome import Outcome
from registry.inputs.strategies import Strategy
from registry.results.base import Result, Score
from registry.results.conflict_score import ConflictScoreView
from registry.results.debate import AutoView, DebateView, VoteView


class Decider(StrEnum):
    """Whose answer it is."""

    VOTE = "vote"
    READINGS = "readings"
    """`auto` found the vote not safe, and gives all answers that the selected sources were read to give."""
    DEBATE = "debate"
    NOBODY = "nobody"
    """`auto` found that no answer holds."""


class SelectedSource(Result):
    """A source whose reading made the answer."""

    source_id: UUID
    external_id: str
    name: str
    reliability: Score | None
    """At the time of the answer; null before the first estimation."""
    overridden: bool
    """Whether an operator set the reliability."""
    weight: float
    """What its vote counted: that of its voice shared among those of it that say the same."""
    voice: int | None = None
    """Which of the estimation's voices of several sources it belongs to; null for a voice of its own."""
    relevance: Score
    """Cosine similarity of its best passage to the question, negative ones as 0."""
    answer: str
    """What it says, in its own words."""
    reading_confidence: Score | None = None
    """How sure the reader was of that answer; null where it does not say."""
    supports: bool
    """Whether that is the answer; of a debate's answers, whether one of them stands in a document of this source."""


class RejectedSource(Result):
    """A source that was considered and did not take part."""

    source_id: UUID
    external_id: str
    name: str
    reliability: Score | None
    reason: str
    """abstained, misaligned, no_passages, failed, not_a_candidate, not_reached, out_of_budget or undecidable."""
    reading: str | None = None
    """What it said, where it was asked and answered without support in its passages."""


class TallyEntry(Result):
    """One answer class and its support."""

    answer: str
    weight: float
    share: float
    """Of the summed absolute weights; negative where distrusted sources alone support it."""
    votes: int
    """Sources that said so, each counted once."""
    voices: int | None = None
    """Independent voices behind them: sources that copy each other are one. Null in answers of former versions."""
    source_ids: tuple[UUID, ...]


class Dissent(Result):
    """A selected source that says otherwise."""

    source_id: UUID
    name: str
    reliability: Score | None
    answer: str


class CertificateView(Result):
    """The smallest set of selected sources whose corruption would flip the answer."""

    size: int | None
    """How many; null where nothing could be flipped."""
    source_ids: tuple[UUID, ...]
    challenger: str | None
    """The answer that would win; null for one that nobody gave."""


class Citation(Result):
    """Where a supporting source says so."""

    source_id: UUID
    document_id: UUID
    document_external_id: str
    title: str
    published_at: datetime | None
    start: int
    """First character (code point) of the quote in the document's text."""
    end: int
    """One past its last character."""
    quote: str
    """Stands verbatim in the document from start to end."""
    answer: str | None = None
    """Which of several answers it is cited for; null for the answer of the vote."""


class UsageView(Result):
    """What the answer cost."""

    readings: int
    """Sources read, cached readings included."""
    readings_cached: int
    """Readings that were known already."""
    model_calls: int
    input_tokens: int
    output_tokens: int
    milliseconds: float
    """From the question to the answer."""


class AnswerResult(Result):
    """An answer and why it is what it is."""

    outcome: Outcome
    answers: tuple[str, ...]
    """The winning answer; several where the vote is tied or not safe, or a debate found several right; none where there
    is none."""
    confidence: Score
    """Posterior probability of the first answer under the one-coin model, given the reliabilities."""
    margin: Score
    """Winning weight minus the runner-up's, over the summed absolute weights."""
    strategy: Strategy
    """The one that was asked for."""
    decided_by: Decider = Decider.VOTE
    """Whose answer it is: that of the vote, of all readings side by side, of a debate, or of nobody."""
    vote: VoteView | None = None
    """What the vote alone comes to, where the answer is not simply that."""
    auto: AutoView | None = None
    """What `auto` did, and why; null with other strategies."""
    debate: DebateView | None = None
    """The debate with its transcript; null where none was held."""
    selected_sources: tuple[SelectedSource, ...]
    rejected_sources: tuple[RejectedSource, ...]
    rejected_total: int
    """Rejected sources in all; the list names the first hundred, those that were read before the others."""
    tally: tuple[TallyEntry, ...]
    dissent: tuple[Dissent, ...]
    certificate: CertificateView
    citations: tuple[Citation, ...]
    conflict_score: ConflictScoreView | None = None
    """How far what the selected sources were read from disputes the answers; null where `conflict_score_missing` says
    why."""
    conflict_score_missing: str | None = None
    """Why there is no score; null where there is one."""
    estimation_id: UUID | None
    """The run whose reliabilities counted; null if there is none yet."""
    stop_reason: str
    """Why the walk over the sources ended."""
    notes: tuple[str, ...] = ()
    """What a reader of this answer should know, e.g. that no estimation exists yet."""
    usage: UsageView
