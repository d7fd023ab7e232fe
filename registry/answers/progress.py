"""Progress of an answer while it is made, for those who follow its events."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import TypeAlias
from uuid import UUID

import structlog

from answering.debates.driver import DebateEnded, Event, TurnBegan
from answering.debates.protocol import Turn
from registry.events import store as events
from registry.platform.database.base import Json
from registry.platform.database.engine import Database
from registry.platform.errors import Unavailable
from registry.platform.fields import storable

log = structlog.get_logger(__name__)

SHOWN_CHARACTERS = 300


Progress: TypeAlias = Callable[[str, Json], Awaitable[None]]
"""Called with the kind and the data of each step of an answer, one after the other."""


async def silent(_kind: str, _data: Json) -> None:
    """Report nothing."""


class ProgressEvents:
    """Stores every step as an event of the answer."""

    def __init__(self, database: Database, answer_id: UUID) -> None:
        self._database = database
        self._answer_id = answer_id
        # Ids rise in the order of commits only if there is one commit at a time; a follower would miss some otherwise.
        self._lock = asyncio.Lock()

    async def __call__(self, kind: str, data: Json) -> None:
        """Store a step; if the database is unavailable the step is lost, not the answer."""
        try:
            async with self._lock, self._database.begin() as session:
                events.publish(session, self._answer_id, kind, data)
        except Unavailable as error:
            log.warning("step_not_recorded", reason=error)


async def report_debate_event(progress: Progress, event: Event) -> None:
    """Report the begin and the end of a turn; the end of the debate comes with the answer."""
    if isinstance(event, TurnBegan):
        await progress("turn_began", asdict(event))
    elif not isinstance(event, DebateEnded):
        await progress("turn_ended", _turn_data(event.turn))


def _turn_data(turn: Turn) -> Json:
    reply = " ".join(storable(turn.said).split())
    return {
        "agent": turn.agent,
        "round": turn.round,
        "kind": turn.kind,
        "status": turn.status,
        "said": reply if len(reply) <= SHOWN_CHARACTERS else reply[: SHOWN_CHARACTERS - 1] + "…",
        "model_calls": turn.usage.model_calls,
        "input_tokens": turn.usage.input_tokens,
        "output_tokens": turn.usage.output_tokens,
    }
