"""The report on a corpus by its gold answers: every method, confidence, and each source's reliability."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from pydantic import Field

from answering.enums import Outcome
from registry.platform.fields import Result, Score


class Interval(Result):
    """A share of right ones with its 95 % interval (Jeffreys), which says how little few queries tell."""

    right: int
    of: int
    share: Score | None
    """Null where there was nothing to count."""
    lower: Score
    upper: Score


class MethodScore(Result):
    """One way to answer, on all queries with gold answers."""

    name: str
    """selected, weighted, majority, most_reliable, one_reader or gold_weights."""
    description: str
    accuracy: Interval
    """A query without an answer, or with answers that conflict, counts as wrong."""
    answered: int
    """Queries that got an answer."""
    conflicting: int | None = None
    """Queries whose answers conflict; null in old reports, where they are among those with an answer."""
    readings: float
    """Sources read for a query, on average."""


class CalibrationBin(Result):
    """Answers whose confidence lies in [lower, upper)."""

    lower: Score
    upper: Score
    confidence: Score
    """Their mean confidence."""
    accuracy: Interval


class Calibration(Result):
    """Whether confidence can be taken at its word, on the answers of `selected`."""

    bins: tuple[CalibrationBin, ...]
    """Bins that hold answers."""
    expected_error: Score | None
    """Mean distance of confidence and accuracy over the bins, by how many answers they hold; null without answers."""
    brier: Score | None
    """Mean squared difference of confidence and being right."""


class SourceEvaluation(Result):
    """One source: what was estimated without labels, and what gold answers say."""

    source_id: UUID
    external_id: str
    name: str
    estimated: Score | None
    """Reliability by the current run or an operator; null without either."""
    overridden: bool
    votes: int
    """Answers it gave to the queries with gold answers."""
    gold: Interval
    """Number of them that are right."""
    agrees: bool | None
    """Whether the estimate lies in the interval; null where one of them is missing. Where the estimation tells
    misreadings apart, the interval is that of `statements`."""
    reader_errors: int | None = None
    """Wrong answers though a right one stands in the passages that were read: errors of the reader, not of the source.
    Null in old reports."""
    statements: Interval | None = None
    """Number of the other answers that are right."""
    misread_count: int | None = None
    """Number of its votes that look misread in the estimation; null if it did not tell, and in old reports."""

    @property
    def by_gold(self) -> Interval:
        """Quantity that the estimate estimates, by gold answers."""
        return self.gold if self.misread_count is None or self.statements is None else self.statements


class QueryEvaluation(Result):
    """One query whose answer is wrong or missing."""

    query_id: UUID
    text: str
    answer: str | None
    """Several are separated by semicolons; null without one."""
    outcome: Outcome | None = None
    """Null in old reports."""
    gold_answers: tuple[str, ...]
    confidence: Score
    sources_right: int
    """Sources that gave a right answer."""
    sources_answered: int


class Evaluation(Result):
    """The whole of it."""

    corpus: str
    created_at: datetime
    estimation_id: UUID
    reader: str
    chat: str | None = None
    """The language model of debates; null without one, and in old reports."""
    parameters: Mapping[str, Any] = Field(default_factory=dict)
    """Parameters of the questions that were asked, with the numbers of sources that the settings filled in."""
    kappa: int | None
    """Sources that an answer is made of; null for as many as can change it."""
    queries: int
    """Number of queries with gold answers, all of which were asked."""
    methods: tuple[MethodScore, ...]
    calibration: Calibration
    sources: tuple[SourceEvaluation, ...]
    """The most reliable first, by the estimate."""
    correlation: float | None
    """Pearson's r of estimated and gold-based reliability over sources with votes; null where it does not exist."""
    mean_difference: float | None
    """Mean absolute difference of the two."""
    mistakes: tuple[QueryEvaluation, ...]
    """Queries that `selected` got wrong, the most confident first, at most 50."""
    notes: tuple[str, ...]


class Basis(StrEnum):
    """The evidence for the share of right answers among those as sure as this."""

    GOLD = "gold"
    """Right answers to queries, by an evaluation that measured such answers."""
    ESTIMATE = "estimate"
    """The estimated reliabilities alone."""
    TOO_LITTLE = "too_little"
    """Nothing: too little is known of the sources of the answer."""


class CalibratedConfidence(Result):
    """The share of answers as sure as this that are right, as people are shown it."""

    basis: Basis
    """The evidence that the share rests on."""
    share: Score | None
    """Share by right answers to queries; null if none tell."""
    text: str
    """The confidence and its evidence in words."""
    right: int | None = None
    """Answers to queries with right answers that were as sure as this (in the same fifth) and right; null where the
    basis is another."""
    of: int | None = None
    """Answers to such queries that were as sure as this; null likewise."""
    lower: Score | None = None
    """Lower end of the 95 % interval of the share; null likewise."""
    upper: Score | None = None
    """Upper end of it."""
    evaluation_id: UUID | None = None
    """The evaluation that counted them; null likewise."""
