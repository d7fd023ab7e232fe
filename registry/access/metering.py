"""Language models whose calls are counted against the allowance of an API key."""

from collections.abc import Sequence
from dataclasses import replace

from answering.models import Chat, Completion, Sampling
from answering.models.chat import GREEDY
from answering.models.usage import Usage
from answering.readers import Reader, Reading
from registry.access.quotas import Account
from registry.runtime import Runtime
from registry.settings import ReaderKind


class ChargedChat:
    """A chat model that is paid for, call by call."""

    def __init__(self, chat: Chat, account: Account) -> None:
        self._chat = chat
        self._account = account

    @property
    def name(self) -> str:
        return self._chat.name

    async def complete(self, system: str, message: str, *, sampling: Sampling = GREEDY) -> Completion:
        """Raises `BudgetSpent` too."""
        await self._account.take_call()
        completion = await self._chat.complete(system, message, sampling=sampling)
        await self._account.pay(_tokens(completion.usage))
        return completion

    async def aclose(self) -> None:
        """The model belongs to the process."""


class ChargedReader:
    """A reader that is a language model and is paid for, reading by reading."""

    def __init__(self, reader: Reader, account: Account) -> None:
        self._reader = reader
        self._account = account
        self.name = reader.name
        self.prompt_hash = reader.prompt_hash

    async def read(self, question: str, passages: Sequence[str]) -> Reading:
        """Raises `BudgetSpent` too."""
        await self._account.take_call()
        reading = await self._reader.read(question, passages)
        await self._account.pay(_tokens(reading.usage))
        return reading

    async def aclose(self) -> None:
        """The reader belongs to the process."""


def charged(runtime: Runtime, account: Account | None) -> Runtime:
    """The runtime whose language models the account pays for, as readers, judges or in debates; what is ours costs
    nothing.
    """
    if account is None:
        return runtime
    chat = ChargedChat(runtime.chat, account) if runtime.chat is not None else None
    judges = runtime.judges.asking(chat) if chat is not None else runtime.judges
    free = runtime.settings.reader in {ReaderKind.COMPACT, ReaderKind.NONE}
    reader = runtime.reader if free or runtime.reader is None else ChargedReader(runtime.reader, account)
    return replace(runtime, chat=chat, reader=reader, judges=judges)


def _tokens(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens
