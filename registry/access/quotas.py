"""What API keys may spend on language models from midnight to midnight in UTC, and have spent.

Every call is counted before it is made, by one statement, so that however many requests a key sends at once, no call
beyond its limit begins. Tokens are known when a call ends: they are exceeded at most by the calls under way.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID

from sqlalchemy import and_, select, true
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from answering.errors import BudgetSpent
from answering.models.usage import Budget
from registry.database.engine import Database
from registry.models import ApiKey, KeySpending


@dataclass(frozen=True, slots=True)
class Spent:
    """Of one key on one day."""

    model_calls: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Allowance:
    """The daily limits of a key; None is no limit."""

    key_id: UUID
    name: str
    model_calls: int | None
    tokens: int | None

    def left(self, spent: Spent) -> Budget:
        """What may still be spent, at least 0."""
        return Budget(
            calls=None if self.model_calls is None else max(0, self.model_calls - spent.model_calls),
            tokens=None if self.tokens is None else max(0, self.tokens - spent.tokens),
        )

    def exhausted(self, spent: Spent) -> BudgetSpent | None:
        """The refusal of a further call, or None where there is no reason for one."""
        left = self.left(spent)
        if left.calls != 0 and left.tokens != 0:
            return None
        return self.refusal(f"{self.model_calls:,} model calls" if left.calls == 0 else f"{self.tokens:,} tokens")

    def refusal(self, limit: str) -> BudgetSpent:
        """Says which limit was reached, and when there is more."""
        return BudgetSpent(
            f"The API key {self.name!r} may spend {limit} a day and has spent them; the next day begins at midnight "
            "UTC. A key with a higher limit can be made with `daily_model_calls` and `daily_tokens`.",
            retry_after=seconds_to_midnight(datetime.now(UTC)),
        )


class Account:
    """The allowance of one key as it is spent; each method is a transaction of its own."""

    def __init__(self, database: Database, allowance: Allowance) -> None:
        self._database = database
        self._allowance = allowance

    async def left(self) -> Budget:
        """What may still be spent today."""
        return self._allowance.left(await self._spent())

    async def require(self) -> None:
        """Raises `BudgetSpent` where no further call may be made today."""
        refusal = self._allowance.exhausted(await self._spent())
        if refusal is not None:
            raise refusal

    async def take_call(self) -> None:
        """Count one call, which may be made then; raises `BudgetSpent` where none is left."""
        async with self._database.begin() as session:
            taken = await take_call(session, self._allowance, today())
        if not taken:
            raise self._allowance.exhausted(await self._spent()) or self._allowance.refusal("what is left")

    async def pay(self, tokens: int) -> None:
        """Count the tokens of a call that was made."""
        if tokens:
            async with self._database.begin() as session:
                await pay(session, self._allowance.key_id, today(), tokens)

    async def _spent(self) -> Spent:
        async with self._database.begin() as session:
            found = await spent_today(session, [self._allowance.key_id])
        return found.get(self._allowance.key_id, Spent())


async def open_account(database: Database, key_id: UUID | None) -> Account | None:
    """The account of a key; None for no key, and for one without limits."""
    if key_id is None:
        return None
    async with database.begin() as session:
        key = await session.get(ApiKey, key_id)
    if key is None or (key.daily_model_calls is None and key.daily_tokens is None):
        return None
    return Account(database, Allowance(key.id, key.name, key.daily_model_calls, key.daily_tokens))


async def take_call(session: AsyncSession, allowance: Allowance, day: date) -> bool:
    """Whether one more call fits into the day; if so, it is counted."""
    if allowance.exhausted(Spent()) is not None:
        return False
    limits = ((KeySpending.model_calls, allowance.model_calls), (KeySpending.tokens, allowance.tokens))
    row = insert(KeySpending).values(key_id=allowance.key_id, day=day, model_calls=1, tokens=0)
    counted = row.on_conflict_do_update(
        index_elements=[KeySpending.key_id, KeySpending.day],
        set_={"model_calls": KeySpending.model_calls + 1},
        where=and_(true(), *(spent < most for spent, most in limits if most is not None)),
    ).returning(KeySpending.key_id)
    return (await session.execute(counted)).first() is not None


async def pay(session: AsyncSession, key_id: UUID, day: date, tokens: int) -> None:
    """Count tokens."""
    row = insert(KeySpending).values(key_id=key_id, day=day, model_calls=0, tokens=tokens)
    await session.execute(
        row.on_conflict_do_update(
            index_elements=[KeySpending.key_id, KeySpending.day], set_={"tokens": KeySpending.tokens + tokens}
        )
    )


async def spent_today(session: AsyncSession, key_ids: Collection[UUID]) -> Mapping[UUID, Spent]:
    """What each of these keys has spent; one that has spent nothing is not among them."""
    rows = select(KeySpending).where(KeySpending.key_id.in_(key_ids), KeySpending.day == today())
    return {row.key_id: Spent(row.model_calls, row.tokens) for row in await session.scalars(rows)}


def today() -> date:
    """The day that limits are counted by."""
    return datetime.now(UTC).date()


def seconds_to_midnight(now: datetime) -> float:
    """Until the next day begins in UTC."""
    midnight = datetime.combine(now.date() + timedelta(days=1), time(), UTC)
    return (midnight - now).total_seconds()
