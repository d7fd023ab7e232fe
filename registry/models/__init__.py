"""The tables, as SQLAlchemy maps them. The migrations create them; `credence migrate check` compares the two."""

from registry.enums import QueryOrigin, RunStatus, SourceStatus, Trigger, Verdict
from registry.models.answers import AnswerRecord
from registry.models.audit import AuditEvent
from registry.models.base import Base
from registry.models.connectors import Connector, ConnectorDocument, ConnectorLocation
from registry.models.contradictions import DocumentContradiction
from registry.models.corpora import Corpus, CorpusQuestions
from registry.models.documents import Document, EmbeddingSpace, Passage
from registry.models.estimations import (
    EstimationRun,
    RunCentroid,
    RunPiece,
    RunQuery,
    RunSource,
    StoredEvaluation,
    Vote,
)
from registry.models.events import Event
from registry.models.gold import GoldEntry
from registry.models.idempotency import IdempotentRequest
from registry.models.keys import ApiKey, BrowserSession, KeySpending, LatestTime, RateCount, SourceBound
from registry.models.misreadings import MisreadingVerdict
from registry.models.queries import Query
from registry.models.query_generations import QueryGeneration, SearchedDocument
from registry.models.readings import CachedReading
from registry.models.schedules import Schedule, Tick
from registry.models.sources import Override, Rating, Source
from registry.models.stated_values import StatedValue

__all__ = [
    "AnswerRecord",
    "ApiKey",
    "AuditEvent",
    "Base",
    "BrowserSession",
    "CachedReading",
    "Connector",
    "ConnectorDocument",
    "ConnectorLocation",
    "Corpus",
    "CorpusQuestions",
    "Document",
    "DocumentContradiction",
    "EmbeddingSpace",
    "EstimationRun",
    "Event",
    "GoldEntry",
    "IdempotentRequest",
    "KeySpending",
    "LatestTime",
    "MisreadingVerdict",
    "Override",
    "Passage",
    "Query",
    "QueryGeneration",
    "QueryOrigin",
    "RateCount",
    "Rating",
    "RunCentroid",
    "RunPiece",
    "RunQuery",
    "RunSource",
    "RunStatus",
    "Schedule",
    "SearchedDocument",
    "Source",
    "SourceBound",
    "SourceStatus",
    "StatedValue",
    "StoredEvaluation",
    "Tick",
    "Trigger",
    "Verdict",
    "Vote",
]
