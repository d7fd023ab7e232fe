"""The tables, one module a noun. Migrations build them; `credence migrate check` proves that both agree."""

from registry.models.answers import AnswerRecord
from registry.models.base import Base
from registry.models.corpora import Corpus, Override, Source, SourceStatus
from registry.models.documents import Document, EmbeddingSpace, Passage
from registry.models.estimations import EstimationRun, RunQuery, RunSource, RunStatus, Trigger, Vote
from registry.models.operations import ApiKey, Event, IdempotentRequest, KeySpending, Schedule, Tick
from registry.models.queries import CachedReading, Query

__all__ = [
    "AnswerRecord",
    "ApiKey",
    "Base",
    "CachedReading",
    "Corpus",
    "Document",
    "EmbeddingSpace",
    "EstimationRun",
    "Event",
    "IdempotentRequest",
    "KeySpending",
    "Override",
    "Passage",
    "Query",
    "RunQuery",
    "RunSource",
    "RunStatus",
    "Schedule",
    "Source",
    "SourceStatus",
    "Tick",
    "Trigger",
    "Vote",
]
