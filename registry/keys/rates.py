"""Limits a minute on what a key or an address may do, counted over all processes.

Each process counts for itself and exchanges its counts through Postgres: every second, or at once where a count is
awaited. A limit is exceeded at most by what the other processes counted since.
"""

import time
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

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
            RateKind.IMPORT: max(1, settings.requests_per_minute // REQUESTS_PER_IMPORT),
            RateKind.FAILED_LOGIN: FAILED_LOGINS_PER_MINUTE,
        }
        self._database = database
        self._counts: dict[tuple[RateKind, str], _Count] = {}

    def require(self, kind: RateKind, subject: str) -> None:
        """Raise `TooManyRequests` if the subject has reached its limit."""
        count = self._count(kind, subject)
        self._compare(kind, count.shared + count.own + 1)

    def take(self, kind: RateKind, subject: str) -> None:
        """Count one, by what is known here; raises `TooManyRequests` instead if the limit is reached."""
        self.require(kind, subject)
        self._count(kind, subject).own += 1

    async def take_shared(self, kind: RateKind, subject: str) -> None:
        """Count one, with what all other processes have counted; raises `TooManyRequests` beyond the limit."""
        self.take(kind, subject)
        await self.exchange({(kind, subject)})
        self._compare(kind, self._count(kind, subject).shared)

    async def exchange(self, subjects: Collection[tuple[RateKind, str]] | None = None) -> None:
        """Write what was counted since the last time, and read what the others have counted of the same subjects."""
        minute = self._minute()
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
        minute, count = self._minute(), self._counts.get((kind, subject))
        if count is None or count.minute != minute:
            count = self._counts[kind, subject] = _Count(minute)
        return count

    def _compare(self, kind: RateKind, number: int) -> None:
        limit = self._limits[kind]
        if number > limit:
            what = kind.replace("_", " ")
            raise TooManyRequests(
                f"More than {limit:,} {what}s a minute are refused.", retry_after=MINUTE - clock() % MINUTE
            )

    @staticmethod
    def _minute() -> int:
        return int(clock() // MINUTE)
