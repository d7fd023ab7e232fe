"""Estimation runs. They are append-only; the newest succeeded run of a corpus is its current one, unless an earlier
one was made current in its place.

Rows of a run refer to sources and queries without foreign keys, so that a run stays readable after they are deleted.
"""

from datetime import datetime
from uuid import UUID

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import ARRAY, CheckConstraint, ForeignKey, Index, LargeBinary, Uuid, and_, func, text
from sqlalchemy.dialects.postgresql import JSONB, REAL
from sqlalchemy.orm import Mapped, mapped_column

from estimator.methods import METHODS
from registry.platform.database.base import Base, CorpusRow, Created, Identifier, Json
from registry.platform.enums import RunStatus

ACTIVE = "status IN ('queued', 'running')"


ACTIVE_STATUSES = tuple(status for status in RunStatus if not status.ended)


class EstimationRun(CorpusRow):
    """One estimate of the reliabilities of all sources of a corpus from all their votes."""

    __tablename__ = "estimations"
    noun = "estimation"
    __table_args__ = (
        Index(None, "corpus_id", "id"),
        Index("estimations_corpus_id_number_key", "corpus_id", "number", unique=True),
        # At most one run of a corpus is queued or running.
        Index("estimations_one_active_key", "corpus_id", unique=True, postgresql_where=text(ACTIVE)),
        CheckConstraint("status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')", name="status"),
    )

    # Of the runs of its corpus, from 1 in the order of their creation.
    number: Mapped[int]
    name: Mapped[str | None]
    # Of the newest succeeded run only: the earlier one that was made current in its place. It is no foreign key.
    replaced_by: Mapped[UUID | None]
    schedule_id: Mapped[UUID | None]
    trigger: Mapped[str]
    status: Mapped[str] = mapped_column(default=RunStatus.QUEUED)
    cancel_requested: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    parameters: Mapped[Json] = mapped_column(default=dict)
    reader: Mapped[str | None]
    created_at: Mapped[Created]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    problem: Mapped[Json | None] = mapped_column(JSONB(none_as_null=True))
    # The sources that it reads; null until it is cut into pieces. Long, so that only what asks for it loads it.
    source_ids: Mapped[list[UUID] | None] = mapped_column(ARRAY(Uuid), deferred=True)
    # A digest of what they held when the run began.
    corpus_state: Mapped[bytes | None] = mapped_column(LargeBinary)
    # A digest of all that votes depend on beside sources and queries; null where it changed during the run.
    conditions: Mapped[bytes | None] = mapped_column(LargeBinary)
    # The run whose votes are reused. It is no foreign key.
    reused_run_id: Mapped[UUID | None] = mapped_column("carried_from")

    queries_total: Mapped[int] = mapped_column(default=0)
    queries_collected: Mapped[int] = mapped_column(default=0)
    sources_total: Mapped[int] = mapped_column(default=0)
    readings_made: Mapped[int] = mapped_column(default=0)
    readings_cached: Mapped[int] = mapped_column(default=0)
    readings_failed: Mapped[int] = mapped_column(default=0)
    # Of those cached: taken over with their votes from an earlier run.
    readings_carried: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    votes_total: Mapped[int] = mapped_column(default=0)

    method: Mapped[str | None]
    labels: Mapped[int | None]
    rounds: Mapped[int | None]
    converged: Mapped[bool | None]
    stop_reason: Mapped[str | None]
    reason: Mapped[str | None]
    # The code of why its votes cannot tell how reliable sources are; null where they can.
    doubt: Mapped[str | None]
    # The reliability of a source without votes, with its interval.
    prior: Mapped[float | None]
    prior_lower: Mapped[float | None]
    prior_upper: Mapped[float | None]
    copy_groups: Mapped[list[Json]] = mapped_column("voices", JSONB, default=list, server_default=text("'[]'::jsonb"))
    # Members of copy groups are in the same ones; the likeliest first.
    joint_dissents: Mapped[list[Json]] = mapped_column(JSONB, default=list, server_default=text("'[]'::jsonb"))
    topics: Mapped[list[Json]] = mapped_column(JSONB, default=list, server_default=text("'[]'::jsonb"))
    # The number of queries whose gold answers it was fitted on.
    gold_queries: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    # The sources that turned or fell since the run before: how many, and what changed of each. Null in runs
    # that did not succeed, or were made before it was kept. Only what asks for it loads it.
    alerts: Mapped[Json | None] = mapped_column(JSONB(none_as_null=True), deferred=True)
    # What the next run may start from, besides the reliabilities.
    state: Mapped[Json | None] = mapped_column(JSONB(none_as_null=True))

    @property
    def by_paper(self) -> bool:
        return bool((self.parameters or {}).get("paper"))

    def joint_dissent_of(self) -> dict[UUID, int]:
        """The number of the likeliest group with which each source dissents together, in `joint_dissents`."""
        likeliest_last = reversed(list(enumerate(self.joint_dissents)))
        return {UUID(source_id): number for number, group in likeliest_last for source_id in group["source_ids"]}


_AUDITS = [method.name for method in METHODS if "true_reliability" in method.parameters]
MAY_BE_CURRENT = and_(
    EstimationRun.status == RunStatus.SUCCEEDED, func.coalesce(EstimationRun.method, "").not_in(_AUDITS)
)
"""Whether a run may count: it succeeded, and by a method that does not use the gold answers to audit."""
COUNTED_IN_ITS_PLACE = func.coalesce(EstimationRun.replaced_by, EstimationRun.id)
"""The run whose reliabilities count, of the newest one that may be current."""


class RunSource(Base):
    """The estimate of one run for one source; overrides do not enter it."""

    __tablename__ = "estimation_sources"
    __table_args__ = (Index(None, "source_id", "estimation_id"),)

    estimation_id: Mapped[UUID] = mapped_column(ForeignKey("estimations.id", ondelete="CASCADE"), primary_key=True)
    source_id: Mapped[UUID] = mapped_column(primary_key=True)
    source_name: Mapped[str]
    reliability: Mapped[float]
    lower: Mapped[float | None]
    upper: Mapped[float | None]
    # Standard deviation of what it may be off by because sources share errors; null for methods that only count.
    systematic: Mapped[float | None]
    weight: Mapped[float]
    vote_count: Mapped[int]
    abstention_count: Mapped[int]
    # Its votes for the answers of the run; null in runs made before it was kept.
    agreement_count: Mapped[int | None]
    # Its votes on queries of which other sources gave other answers; null likewise.
    conflict_count: Mapped[int | None]
    # Of a source that votes on queries with several answers, what the latent truth model found; null of others.
    sensitivity: Mapped[float | None]
    specificity: Mapped[float | None]
    # Its votes that look misread, and the share of its votes that are what it says, as far as the run can tell; null
    # where the run did not tell errors of the reader from those of sources.
    misread_count: Mapped[int | None]
    read_share: Mapped[float | None]
    # Index of its copy group in `copy_groups` of the run; null for an independent source.
    copy_group: Mapped[int | None] = mapped_column("voice")
    # The start of the present period of a source that turned, and all its periods in the order of time.
    turned_at: Mapped[datetime | None]
    periods: Mapped[list[Json]] = mapped_column(JSONB, default=list, server_default=text("'[]'::jsonb"))
    # Its reliability on every topic of the run, if there are topics.
    topics: Mapped[list[Json]] = mapped_column(JSONB, default=list, server_default=text("'[]'::jsonb"))
    # The rating that entered the estimate, if there was one.
    rating: Mapped[float | None]
    rating_strength: Mapped[float | None]


class RunQuery(Base):
    """One query of a run; the answer is null until the run is estimated."""

    __tablename__ = "estimation_queries"

    estimation_id: Mapped[UUID] = mapped_column(ForeignKey("estimations.id", ondelete="CASCADE"), primary_key=True)
    query_id: Mapped[UUID] = mapped_column(primary_key=True)
    query_text: Mapped[str]
    collected_at: Mapped[Created]
    answer: Mapped[str | None]
    # Of the answer, as in `Estimate`; only with methods that count votes is it the margin that the column is named by.
    lead: Mapped[float | None] = mapped_column("margin")
    tied: Mapped[bool | None]
    # Share of the separate runs that answer it otherwise; null where none were made.
    turned: Mapped[float | None] = mapped_column(REAL)
    vote_count: Mapped[int] = mapped_column(default=0)
    # Answer classes that have votes, without those that look misread; 0 until the run is estimated.
    classes: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    # Whether several answers to it may be true.
    several: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    # Whether the run was fitted on its gold answer; audits of the run then leave it out.
    gold_used: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    # Index in `topics` of the run; null without topics.
    topic: Mapped[int | None]


class RunPiece(Base):
    """Queries of a run that one worker reads, one job; the row is deleted when they are read."""

    __tablename__ = "estimation_pieces"
    __table_args__ = (Index(None, "estimation_id"),)

    id: Mapped[Identifier]
    estimation_id: Mapped[UUID] = mapped_column(ForeignKey("estimations.id", ondelete="CASCADE"))
    # Texts by the identifiers of their queries.
    queries: Mapped[Json]


class StoredEvaluation(CorpusRow):
    """The report of an evaluation on gold answers, an `Evaluation` as JSON, which outlives the run that it is of."""

    __tablename__ = "evaluations"
    noun = "evaluation"
    __table_args__ = (Index(None, "corpus_id", "id"),)

    estimation_id: Mapped[UUID]
    created_at: Mapped[Created]
    report: Mapped[Json]


class RunCentroid(Base):
    """The centre of one cluster of queries of a run, by which questions find their topic."""

    __tablename__ = "estimation_centroids"

    estimation_id: Mapped[UUID] = mapped_column(ForeignKey("estimations.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    query_count: Mapped[int]
    # Probabilities that a query of the cluster is on each topic.
    shares: Mapped[list[float]] = mapped_column(JSONB)
    embedding: Mapped[list[float]] = mapped_column(HALFVEC())


class Vote(Base):
    """The vote of one source on one query of a run; `answer_key` is null where `status` says why there is none."""

    __tablename__ = "votes"

    estimation_id: Mapped[UUID] = mapped_column(ForeignKey("estimations.id", ondelete="CASCADE"), primary_key=True)
    query_id: Mapped[UUID] = mapped_column(primary_key=True)
    source_id: Mapped[UUID] = mapped_column(primary_key=True)
    status: Mapped[str]
    answer: Mapped[str | None]
    answer_key: Mapped[str | None]
    alignment: Mapped[float | None]
    # Probability that the source says so, as the reader gives it; null where it gives none.
    confidence: Mapped[float | None]
    # Whether the answer came as data, in a document or as an imported vote, so that nothing was read.
    stated: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    # Whether it was imported as a vote.
    imported: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    # What a verdict on the reading holds for; null where there is no answer, and in runs made before it was kept.
    reading_id: Mapped[UUID | None]
    # Probability that it is a misreading, by the votes of the run; null below 1 in 100.
    misread: Mapped[float | None] = mapped_column(REAL)
    document_ids: Mapped[list[str]] = mapped_column(JSONB)
    # When the source first published the answer, by the passages it was read from.
    published_at: Mapped[datetime | None]
