"""The definition of a kind of job; `registry.jobs.kinds.KINDS` lists the kinds."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import UUID

from pydantic import BaseModel

from registry.corpora.model import Corpus
from registry.platform.database.base import AsyncSession
from registry.platform.database.job_queue import FailedSubjects, Job, Subjects
from registry.runtime import Runtime

Parameters = TypeVar("Parameters", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Scheduling(Generic[Parameters]):
    """The way a schedule starts a job: its `parameters` are validated and handed to `create`."""

    parameters: type[Parameters]
    create: Callable[[AsyncSession, Corpus, Parameters, UUID], Awaitable[UUID]]
    """Inserts the subject for a schedule's identifier and returns its own; raises `Conflict` to skip the due time."""


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of job: its name and priority, what a worker runs, and which rows need it."""

    job: Job
    summary: str
    run: Callable[[Runtime, UUID], Awaitable[object]]
    """Does the work for a subject. It may be called again after a crash, and for a subject that is done."""
    unfinished: Subjects | None = None
    """The subjects that are not done; those without a job get one. None: another job queues it."""
    scheduling: Scheduling[Any] | None = None
    """None if only requests start it."""
    failed: FailedSubjects | None = None
    give_up: Callable[[Runtime, UUID, str], Awaitable[object]] | None = None
    """Ends a subject as failed for a reason, unless it has ended. None: the job itself finds what ends its process."""
    waits_for_others: bool = False
    """Whether it ends only when other jobs have ended, so that these must not wait for it."""
    repeat: Callable[[Runtime, Corpus, UUID], Awaitable[object]] | None = None
    """Queues the work of such a subject again, for a new subject where a result is never changed."""
