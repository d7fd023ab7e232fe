"""What is told of an answer while it is made."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import TypeAlias
from uuid import UUID

import structlog

from answering.debates import DebateEnded, Event, Turn, TurnBegan
from registry.database.engine import Database
from registry.errors import Unavailable
from registry.models.base import Json
from registry.store import events
from registry.store.readings import storable

log = structlog.get_logger(__name__)

SHOWN_CHARACTERS = 300


Progress: TypeAlias = Callable[[str, Json], Awaitable[None]]
"""Hears the steps of an answer, one after the other."""


async def silent(_kind: str, _data: Json) -> None:
    """For those who only want the answer."""


class Published:
    """Records every step for those who follow the answer."""

    def __init__(self, database: Database, answer_id: UUID) -> None:
        self._database = database
        self._answer_id = answer_id
        # Ids rise in the order of commits only if there is one commit at a time; a follower would miss some otherwise.
        self._turn = asyncio.Lock()

    async def __call__(self, kind: str, data: Json) -> None:
        """A step that cannot be recorded is lost; the answer is not."""
        try:
            async with self._turn, self._database.begin() as session:
                events.publish(session, self._answer_id, kind, data)
        except Unavailable as error:
            log.warning("step_not_recorded", why=str(error))


async def tell(progress: Progress, event: Event) -> None:
    """A turn of a debate as a step of its answer; the end of a debate is told with the answer."""
    if isinstance(event, TurnBegan):
        await progress("turn_began", asdict(event))
    elif not isinstance(event, DebateEnded):
        await progress("turn_ended", _ended(event.turn))


def _ended(turn: Turn) -> Json:
    said = " ".join(storable(turn.said).split())
    return {
        "agent": turn.agent,
        "round": turn.round,
        "kind": turn.kind,
        "status": turn.status,
        "said": said if len(said) <= SHOWN_CHARACTERS else said[: SHOWN_CHARACTERS - 1] + "…",
        "model_calls": turn.usage.model_calls,
        "input_tokens": turn.usage.input_tokens,
        "output_tokens": turn.usage.output_tokens,
    }
