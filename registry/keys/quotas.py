"""Daily limits of API keys on model calls and tokens, from midnight to midnight UTC.

A call is counted before it is made, so that concurrent requests cannot exceed the limit. Tokens are known when a call
ends; their limit is exceeded at most by the calls in progress.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from uuid import UUID

from answering.errors import BudgetSpent
from answering.models.usage import Budget
from registry.keys import store as key_store
from registry.keys.model import ApiKey
from registry.keys.store import Spending
from registry.platform.database.engine import Database


@dataclass(frozen=True, slots=True)
class Allowance:
    """The daily limits of an API key; None is no limit."""

    key_id: UUID
    name: str
    model_calls: int | None
    tokens: int | None

    def left(self, spent: Spending) -> Budget:
        """The rest of the limits, at least 0."""
        return Budget(
            calls=None if self.model_calls is None else max(0, self.model_calls - spent.model_calls),
            tokens=None if self.tokens is None else max(0, self.tokens - spent.tokens),
        )

    def limit_error(self, spent: Spending) -> BudgetSpent | None:
        """The error that refuses a further call, or None if a call is allowed."""
        left = self.left(spent)
        if left.calls != 0 and left.tokens != 0:
            return None
        limit = f"{self.model_calls:,} model calls" if left.calls == 0 else f"{self.tokens:,} tokens"
        return BudgetSpent(
            f"The API key {self.name!r} may spend {limit} a day and has spent them; the next day begins at midnight "
            "UTC. A key with a higher limit can be made with `daily_model_calls` and `daily_tokens`.",
            retry_after=seconds_to_midnight(),
        )


def seconds_to_midnight() -> float:
    """Until the next day begins in UTC."""
    now = datetime.now(UTC)
    return (datetime.combine(now.date() + timedelta(days=1), time(), UTC) - now).total_seconds()


class Account:
    """The allowance of a key and what it has spent; each method is a transaction of its own."""

    def __init__(self, database: Database, allowance: Allowance) -> None:
        self._database = database
        self._allowance = allowance

    async def left(self) -> Budget:
        """What may be spent today."""
        return self._allowance.left(await self._spent())

    async def require(self) -> None:
        """Raise `BudgetSpent` if no further call is allowed today."""
        error = self._allowance.limit_error(await self._spent())
        if error is not None:
            raise error

    async def take_call(self) -> None:
        """Count a call before it is made; raises `BudgetSpent` if none is left."""
        allowance = self._allowance
        while True:
            async with self._database.begin() as session:
                if await key_store.count_call(
                    session, allowance.key_id, max_calls=allowance.model_calls, max_tokens=allowance.tokens
                ):
                    return
            await self.require()

    async def pay(self, tokens: int) -> None:
        """Count the tokens of a finished call."""
        if tokens:
            async with self._database.begin() as session:
                await key_store.count_tokens(session, self._allowance.key_id, tokens)

    async def _spent(self) -> Spending:
        async with self._database.begin() as session:
            spending = await key_store.spent_today(session, [self._allowance.key_id])
        return spending.get(self._allowance.key_id, Spending())


async def open_account(database: Database, key_id: UUID | None) -> Account | None:
    """The account of a key, or None without a key or without limits."""
    if key_id is None:
        return None
    async with database.begin() as session:
        key = await session.get(ApiKey, key_id)
    if key is None or (key.daily_model_calls is None and key.daily_tokens is None):
        return None
    return Account(database, Allowance(key.id, key.name, key.daily_model_calls, key.daily_tokens))
