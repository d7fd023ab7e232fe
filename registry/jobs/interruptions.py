"""Jobs that end their process: they are run again, and set aside when that happened twice."""

import asyncio
from contextlib import nullcontext, suppress
from uuid import UUID

import structlog

from estimator.errors import CredenceError
from registry.job_kind import JobKind
from registry.jobs import store
from registry.jobs.store import JobKey
from registry.runtime import Runtime

log = structlog.get_logger(__name__)

MOST_INTERRUPTIONS = 2
REASON = "The process that ran it ended twice, so it is not tried again by itself; the worker's log may tell why."
NOTE_SECONDS = 2.0


class Interruptions:
    """Notes what a process runs for as long as it runs, so that the next one knows what this one was at."""

    def __init__(self) -> None:
        self._alone = asyncio.Lock()
        # What came to an end here, until the database was told so.
        self._ended: set[JobKey] = set()

    async def run(self, runtime: Runtime, kind: JobKind, subject_id: UUID) -> None:
        """Run a job, or give its subject up where the process that ran it ended twice."""
        key = (kind.job.name, subject_id)
        await self._forget_ended(runtime)
        async with runtime.database.begin() as session:
            interrupted = await store.was_begun(session, key)
        # One at a time, as each counts the ends of the process while it ran, whichever job caused them.
        alone = interrupted and kind.give_up and not kind.waits_for_others
        async with self._alone if alone else nullcontext():
            await self._run(runtime, kind, key)

    async def _run(self, runtime: Runtime, kind: JobKind, key: JobKey) -> None:
        async with runtime.database.begin() as session:
            times = await store.note_begun(session, key)
        _, subject_id = key
        try:
            if times > MOST_INTERRUPTIONS and kind.give_up:
                log.warning("job_set_aside", job=kind.job.name, subject_id=str(subject_id))
                await kind.give_up(runtime, subject_id, REASON)
            else:
                await kind.run(runtime, subject_id)
        finally:
            self._ended.add(key)
            with suppress(CredenceError, TimeoutError):
                async with asyncio.timeout(NOTE_SECONDS):
                    await self._forget_ended(runtime)

    async def _forget_ended(self, runtime: Runtime) -> None:
        """A job that begins anew meanwhile may be forgotten too, and then counts one end less."""
        if ended := set(self._ended):
            async with runtime.database.begin() as session:
                await store.forget_begun(session, ended)
            self._ended -= ended
