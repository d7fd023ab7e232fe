"""Chat models with limits on concurrency, time and attempts, and with a budget."""

from answering.errors import BudgetSpent
from answering.models.chat import GREEDY, Chat, Completion, Sampling
from answering.models.limits import Limits
from answering.models.openai_client import CHAT
from answering.models.usage import Meter, Usage


class LimitedChat:
    """Wraps a chat model as `LimitedReader` does a reader."""

    def __init__(self, chat: Chat, *, concurrency: int, timeout: float, attempts: int) -> None:
        self._chat = chat
        self._limits = Limits(concurrency=concurrency, timeout=timeout, attempts=attempts, setting=CHAT.url)

    @property
    def name(self) -> str:
        return self._chat.name

    async def complete(self, system: str, message: str, *, sampling: Sampling = GREEDY) -> Completion:
        return await self._limits.call(lambda: self._chat.complete(system, message, sampling=sampling))

    async def aclose(self) -> None:
        await self._chat.aclose()


class MeteredChat:
    """Asks within a meter that others may spend from too; `limits` names what could be raised."""

    def __init__(self, chat: Chat, meter: Meter, limits: str) -> None:
        self._chat = chat
        self._meter = meter
        self._limits = limits

    @property
    def name(self) -> str:
        return self._chat.name

    async def complete(self, system: str, message: str, *, sampling: Sampling = GREEDY) -> Completion:
        """Raises `BudgetSpent` too. What fails counts as a call."""
        if not self._meter.begin_call():
            raise BudgetSpent(f"Nothing is left of what this work may spend on the language model ({self._limits}).")
        usage = Usage(model_calls=1)
        try:
            done = await self._chat.complete(system, message, sampling=sampling)
            usage = done.usage
        except BudgetSpent:
            usage = Usage()
            raise
        finally:
            self._meter.settle(usage)
        return done

    async def aclose(self) -> None:
        """The model belongs to whoever made it."""
