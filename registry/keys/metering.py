"""Language models whose calls are counted against the allowance of an API key."""

from collections.abc import Sequence

from answering.models import GREEDY, Chat, Completion, Sampling
from answering.readers import Reader, Reading
from registry.keys.quotas import Account


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
