"""Limits a minute on what a key or an address may do, counted over all processes.

Each process counts for itself and exchanges its counts through Postgres: every second, or at once where a count is
awaited. A limit is exceeded at most by what the other processes counted since.
"""

import time
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from registry.keys.store import add_counts
from registry.platform.database.engine import Database
from registry.platform.errors import TooManyRequests
from registry.platform.settings import Settings

MINUTE = 60
# Unknown, expired or revoked keys that an address may send, over all processes.
FAILED_LOGINS_PER_MINUTE = 20
KEPT_MINUTES = 60
# An import is counted as a request, and may be one of so many.
REQUESTS_PER_IMPORT = 50
clock = time.time


class RateKind(StrEnum):
    """The action that is counted."""

    REQUEST = "request"
    IMPORT = "import"
    FAILED_LOGIN = "failed_login"


@dataclass(slots=True)
class _Count:
    """A count of one minute: of all processes at the last exchange, and of this one since."""

    minute: int
    shared: int = 0
    own: int = 0


class RateLimits:
    """The limits of the settings, and what was done in this minute."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self._limits = {
            RateKind.REQUEST: settings.requests_per_minute,
            RateKind.IMPORT: _imports_of(settings.requests_per_minute),
            RateKind.FAILED_LOGIN: FAILED_LOGINS_PER_MINUTE,
        }
        self._database = database
        self._counts: dict[tuple[RateKind, str], _Count] = {}

    def require(self, kind: RateKind, subject: str, requests: int | None = None) -> None:
        """Raise `TooManyRequests` if the subject, which may make so many requests a minute, has reached its limit.

        None is what the settings allow, which is also the most.
        """
        count = self._count(kind, subject)
        self._compare(kind, count.shared + count.own + 1, requests)

    def take(self, kind: RateKind, subject: str, requests: int | None = None) -> None:
        """Count one, by what is known here; raises `TooManyRequests` instead if the limit is reached."""
        self.require(kind, subject, requests)
        self._count(kind, subject).own += 1

    async def take_shared(self, kind: RateKind, subject: str, requests: int | None = None) -> None:
        """Count one, with what all other processes have counted; raises `TooManyRequests` beyond the limit."""
        self.take(kind, subject, requests)
        await self.exchange({(kind, subject)})
        self._compare(kind, self._count(kind, subject).shared, requests)

    async def exchange(self, subjects: Collection[tuple[RateKind, str]] | None = None) -> None:
        """Write what was counted since the last time, and read what the others have counted of the same subjects."""
        minute = this_minute()
        for key in [key for key, count in self._counts.items() if count.minute < minute]:
            del self._counts[key]
        counts = {key: self._counts[key] for key in subjects or self._counts if key in self._counts}
        # In one order, so that processes do not wait for each other's rows in a circle.
        sent = sorted((*key, count.minute, count.own) for key, count in counts.items() if count.own)
        if not sent:
            return
        async with self._database.begin() as session:
            totals = await add_counts(session, sent)
        for kind, subject, counted_minute, own in sent:
            count = counts[kind, subject]
            if count.minute == counted_minute:
                count.own -= own
                count.shared = totals[kind, subject]

    def _count(self, kind: RateKind, subject: str) -> _Count:
        minute, count = this_minute(), self._counts.get((kind, subject))
        if count is None or count.minute != minute:
            count = self._counts[kind, subject] = _Count(minute)
        return count

    def _compare(self, kind: RateKind, number: int, requests: int | None) -> None:
        limit = self._limits[kind]
        if requests is not None:
            limit = min(limit, requests if kind is RateKind.REQUEST else _imports_of(requests))
        if number > limit:
            what = kind.replace("_", " ")
            raise TooManyRequests(
                f"More than {limit:,} {what}s a minute are refused.", retry_after=MINUTE - clock() % MINUTE
            )


def subject_of(key_id: UUID) -> str:
    return f"key {key_id}"


def this_minute() -> int:
    """The present minute, counted from 1970."""
    return int(clock() // MINUTE)


def _imports_of(requests: int) -> int:
    return max(1, requests // REQUESTS_PER_IMPORT)
