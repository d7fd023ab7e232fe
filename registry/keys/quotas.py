"""Quotas, which hold over all processes: daily limits of API keys on model calls and tokens, and those of keys and
corpora on questions a day and on what is stored. A day is one from midnight to midnight UTC.

A call is counted before it is made, so that concurrent requests cannot exceed the limit. Tokens are known when a call
ends; their limit is exceeded at most by the calls in progress.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from uuid import UUID

from answering.errors import BudgetSpent
from answering.models import GREEDY, Chat, Completion, Sampling
from answering.models.usage import Budget
from answering.readers import Reader, Reading
from registry.corpora.model import Corpus
from registry.keys.model import ApiKey
from registry.keys.rates import RateKind, subject_of, this_minute
from registry.keys.schemas import Spending, Stored
from registry.keys.store import counts_of, spending
from registry.keys.store.spending import Owner
from registry.platform.database.base import AsyncSession
from registry.platform.database.engine import Database
from registry.platform.database.locks import lock_in_transaction
from registry.platform.errors import DailyLimitReached, QuotaExceeded


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
    """Seconds until the next day begins in UTC."""
    now = datetime.now(UTC)
    return (datetime.combine(now.date() + timedelta(days=1), time(), UTC) - now).total_seconds()


class Account:
    """The allowance of a key and what it has spent; each method is a transaction of its own."""

    def __init__(self, database: Database, allowance: Allowance) -> None:
        self._database = database
        self._allowance = allowance

    async def left(self) -> Budget:
        """The rest of today's limit."""
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
                if await spending.count_call(
                    session, allowance.key_id, max_calls=allowance.model_calls, max_tokens=allowance.tokens
                ):
                    return
            await self.require()

    async def pay(self, tokens: int) -> None:
        """Count the tokens of a finished call."""
        if tokens:
            async with self._database.begin() as session:
                await spending.count_tokens(session, self._allowance.key_id, tokens)

    async def _spent(self) -> Spending:
        async with self._database.begin() as session:
            spent = await spending.spent_today(session, [self._allowance.key_id])
        return spent.get(self._allowance.key_id, Spending())


async def open_account(database: Database, key_id: UUID | None) -> Account | None:
    """The account of a key, or None without a key or without limits."""
    if key_id is None:
        return None
    async with database.begin() as session:
        key = await session.get(ApiKey, key_id)
    if key is None or (key.daily_model_calls is None and key.daily_tokens is None):
        return None
    return Account(database, Allowance(key.id, key.name, key.daily_model_calls, key.daily_tokens))


async def take_question(session: AsyncSession, corpus: Corpus, key_id: UUID | None) -> None:
    """Count a question against the limits of its key and corpus; raises `DailyLimitReached` if one is reached."""
    for owner in await _owners(session, corpus, key_id):
        limit = owner.daily_questions
        if limit is not None and not await spending.count_question(session, owner, limit):
            raise DailyLimitReached(
                f"{_named(owner)} may ask {limit:,} questions a day and has asked them; the next day "
                "begins at midnight UTC. An operator can raise `daily_questions`.",
                retry_after=seconds_to_midnight(),
            )


async def require_room(session: AsyncSession, corpus: Corpus, key_id: UUID | None) -> None:
    """Raise `QuotaExceeded` if more is stored than the key or the corpus may, with what this transaction wrote.

    From here on other transactions under the same quota wait until this one ends.
    """
    for owner in await _owners(session, corpus, key_id):
        if not _has(owner.max_documents, owner.max_stored_bytes):
            continue
        await lock_in_transaction(session, f"stored:{owner.id}")
        now = await spending.stored(session, owner)
        for used, most, unit in (
            (now.documents, owner.max_documents, "documents"),
            (now.bytes, owner.max_stored_bytes, "bytes"),
        ):
            if most is not None and used > most:
                raise QuotaExceeded(
                    f"{_named(owner)} may store {most:,} {unit}, and would store {used:,} with this. Delete documents, "
                    f"or have an operator raise the quota."
                )


async def _owners(session: AsyncSession, corpus: Corpus, key_id: UUID | None) -> list[Owner]:
    """Whose quotas count, as they are now."""
    key = None if key_id is None else await session.get(ApiKey, key_id)
    rows: list[Owner | None] = [key, await session.get(Corpus, corpus.id)]
    return [row for row in rows if row is not None]


def _named(owner: Owner) -> str:
    return f"The {'API key' if isinstance(owner, ApiKey) else 'corpus'} {owner.name!r}"


@dataclass(frozen=True, slots=True)
class Usage:
    """The use of a key today, what it stores, each None without such a limit, and its requests in this minute."""

    spent: Spending | None = None
    stored: Stored | None = None
    requests: int = 0


async def usage_of(session: AsyncSession, keys: Sequence[ApiKey]) -> list[Usage]:
    spent = await spending.spent_today(session, [key.id for key in keys])
    requests = await counts_of(session, RateKind.REQUEST, [subject_of(key.id) for key in keys], this_minute())
    return [
        Usage(
            spent.get(key.id, Spending())
            if _has(key.daily_model_calls, key.daily_tokens, key.daily_questions)
            else None,
            await spending.stored(session, key) if _has(key.max_documents, key.max_stored_bytes) else None,
            requests.get(subject_of(key.id), 0),
        )
        for key in keys
    ]


def _has(*limits: int | None) -> bool:
    return any(limit is not None for limit in limits)


class ChargedChat:
    """A chat model whose calls count against an allowance; closing it does not close the model."""

    def __init__(self, chat: Chat, account: Account) -> None:
        self._chat = chat
        self._account = account

    @property
    def name(self) -> str:
        return self._chat.name

    async def complete(self, system: str, message: str, *, sampling: Sampling = GREEDY) -> Completion:
        """Raises `BudgetSpent` if the allowance is exhausted."""
        await self._account.take_call()
        completion = await self._chat.complete(system, message, sampling=sampling)
        await self._account.pay(completion.usage.tokens)
        return completion

    async def aclose(self) -> None:
        return


class ChargedReader:
    """A reader whose readings count against an allowance; closing it does not close the reader."""

    def __init__(self, reader: Reader, account: Account) -> None:
        self._reader = reader
        self._account = account
        self.name = reader.name
        self.prompt_hash = reader.prompt_hash

    async def read(self, question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> Reading:
        """Raises `BudgetSpent` if the allowance is exhausted."""
        await self._account.take_call()
        reading = await self._reader.read(question, passages, contexts)
        await self._account.pay(reading.usage.tokens)
        return reading

    async def aclose(self) -> None:
        return
