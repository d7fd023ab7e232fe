"""The states and kinds of what is stored, for those who know no tables: clients and schemas."""

from enum import StrEnum
from typing import Self


class SourceStatus(StrEnum):
    """The status of a source. Only `active` sources are read; `retired` ones take no documents either."""

    ACTIVE = "active"
    PAUSED = "paused"
    RETIRED = "retired"


class QueryOrigin(StrEnum):
    """The origin of a query."""

    GIVEN = "given"
    """Somebody sent it."""
    STATED = "stated"
    """It was made of values that sources state as data."""
    GENERATED = "generated"
    """It was written from a sentence of a document."""
    ASKED = "asked"
    """It is a question that somebody asked."""
    VOTES = "votes"
    """It came with imported votes, and is not looked for in documents."""


class AnswerPolicy(StrEnum):
    """The policy that says which answers to a query are right."""

    ONE = "one"
    """One of those that sources give; others are wrong."""
    SEVERAL = "several"
    """Any number of them, each true or false by itself, as the authors of a book; a source lists some."""
    NUMBER = "number"
    """A number, of which near ones nearly agree."""


class RunStatus(StrEnum):
    """The state of an estimation run or of an answer."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        """Whether the state is final."""
        return self not in {RunStatus.QUEUED, RunStatus.RUNNING}


class Trigger(StrEnum):
    """The cause of a run."""

    HTTP = "http"
    COMMAND = "command"
    SCHEDULE = "schedule"
    DOCUMENTS = "documents"


class Verdict(StrEnum):
    """Whether a reading is a misreading: a `confirmed` one never votes again, a `rejected` one was read rightly."""

    CONFIRMED = "confirmed"
    REJECTED = "rejected"


class ActorKind(StrEnum):
    """The kind of caller who changes something."""

    KEY = "key"
    BROWSER = "browser"
    ANONYMOUS = "anonymous"
    CLI = "cli"
    JOB = "job"


class Role(StrEnum):
    """The role of a person."""

    OWNER = "owner"
    EDITOR = "editor"
    READER = "reader"


class AuditAction(StrEnum):
    """An action that is recorded."""

    CORPUS_CREATED = "corpus.created"
    CORPUS_CHANGED = "corpus.changed"
    CORPUS_DELETED = "corpus.deleted"
    SOURCE_CHANGED = "source.changed"
    SOURCE_DELETED = "source.deleted"
    DOCUMENT_DELETED = "document.deleted"
    CONNECTOR_DELETED_DOCUMENTS = "connector.deleted_documents"
    ESTIMATION_RENAMED = "estimation.renamed"
    ESTIMATION_MADE_CURRENT = "estimation.made_current"
    GOLD_CHANGED = "gold.changed"
    ANSWERS_JOINED = "answers.joined"
    ANSWERS_PARTED = "answers.parted"
    ANSWER_SHARED = "answer.shared"
    SHARE_REVOKED = "answer.share_revoked"
    MISREADING_JUDGED = "misreading.judged"
    MISREADING_VERDICT_DELETED = "misreading.verdict_deleted"
    OVERRIDE_SET = "override.set"
    OVERRIDE_DELETED = "override.deleted"
    RATING_SET = "rating.set"
    RATING_DELETED = "rating.deleted"
    SCHEDULE_CREATED = "schedule.created"
    SCHEDULE_CHANGED = "schedule.changed"
    SCHEDULE_DELETED = "schedule.deleted"
    CONNECTOR_CREATED = "connector.created"
    CONNECTOR_CHANGED = "connector.changed"
    CONNECTOR_DELETED = "connector.deleted"
    WATCH_CREATED = "watch.created"
    WATCH_REMOVED = "watch.removed"
    WEBHOOK_CREATED = "webhook.created"
    WEBHOOK_CHANGED = "webhook.changed"
    WEBHOOK_DELETED = "webhook.deleted"
    KEY_CREATED = "key.created"
    KEY_CHANGED = "key.changed"
    KEY_ROTATED = "key.rotated"
    KEY_REVOKED = "key.revoked"
    PERSON_ADDED = "person.added"
    PERSON_SIGNED_IN = "person.signed_in"
    PERSON_CHANGED = "person.changed"
    PERSON_REMOVED = "person.removed"


class ExportName(StrEnum):
    """The tables of a corpus that can be exported, and what each has."""

    summary: str

    def __new__(cls, value: str, summary: str) -> Self:
        member = str.__new__(cls, value)
        member._value_, member.summary = value, summary
        return member

    SOURCES = (
        "sources",
        "The sources with their present reliability.",
    )
    RELIABILITIES = (
        "reliabilities",
        "The estimate of every run that succeeded for every source.",
    )
    VOTES = (
        "votes",
        "The readings of one run, by default the current one, and whether each agrees with the run's answer.",
    )
    MISREADINGS = (
        "misreadings",
        "The readings of one run, by default the current one, that look misread or that a person judged.",
    )
    ANSWERS = (
        "answers",
        "The answers to questions.",
    )
    CREDIBILITY = (
        "credibility",
        "The reliability of each source of each concept of bundles of the Open Knowledge Format.",
    )
