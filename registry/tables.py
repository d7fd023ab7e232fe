"""All tables, so that foreign keys find theirs; the migrations create them, and `credence migrate check` compares."""

from registry.answers import model as answers
from registry.connectors import model as connectors
from registry.corpora import model as corpora
from registry.disputes import model as disputes
from registry.documents import model as documents
from registry.estimations import model as estimations
from registry.events import model as events
from registry.jobs import model as jobs
from registry.keys import model as keys
from registry.people import model as people
from registry.platform.database import idempotency
from registry.platform.database.base import Base
from registry.queries import model as queries
from registry.query_generations import model as query_generations
from registry.readings import model as readings
from registry.schedules import model as schedules
from registry.sources import model as sources
from registry.votes import model as votes
from registry.watches import model as watches
from registry.webhooks import model as webhooks

metadata = Base.metadata

__all__ = [
    "answers",
    "connectors",
    "corpora",
    "disputes",
    "documents",
    "estimations",
    "events",
    "idempotency",
    "jobs",
    "keys",
    "metadata",
    "people",
    "queries",
    "query_generations",
    "readings",
    "schedules",
    "sources",
    "votes",
    "watches",
    "webhooks",
]
