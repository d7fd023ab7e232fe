"""How a run ends: once, whichever of the processes that work on it is the first to end it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from uuid import UUID

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from estimator.errors import CredenceError
from registry.estimations.model import EstimationRun
from registry.estimations.store import collection
from registry.events import store as events
from registry.platform.enums import RunStatus
from registry.platform.errors import Unavailable
from registry.runtime import Runtime

log = structlog.get_logger(__name__)


@asynccontextmanager
async def failures_stored(runtime: Runtime, estimation_id: UUID) -> AsyncIterator[None]:
    """End the run as failed where the block fails.

    If the database is unavailable the run stays as it is and `Unavailable` is raised, as are unexpected errors.
    """
    try:
        yield
    except Unavailable:
        raise
    except CredenceError as error:
        await _fail(runtime, estimation_id, error)
    except Exception:
        await _fail(runtime, estimation_id, "An unexpected error ended this run; the service's log has the details.")
        raise


async def end(runtime: Runtime, estimation_id: UUID, status: RunStatus, reason: str | None = None) -> None:
    """End the run, unless it has ended."""
    async with runtime.database.begin() as session:
        run = await session.get_one(EstimationRun, estimation_id, with_for_update=True)
        if not RunStatus(run.status).ended:
            run.problem = {"detail": reason} if reason else None
            await close(session, run, status)


async def close(session: AsyncSession, run: EstimationRun, status: RunStatus) -> None:
    """End the run, whose row is locked."""
    run.status, run.finished_at = status, datetime.now(UTC)
    await collection.drop_pieces(session, run.id)
    events.publish(session, run.id, status, dict(run.problem or {}))


async def _fail(runtime: Runtime, estimation_id: UUID, reason: CredenceError | str) -> None:
    # An error is logged without what it quotes.
    log.warning("estimation_failed", estimation_id=str(estimation_id), reason=reason)
    await end(runtime, estimation_id, RunStatus.FAILED, str(reason))
