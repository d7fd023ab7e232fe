"""A chat model within bounds: so many requests at once, so long an attempt, and none into a dead server."""

from answering.models.chat import GREEDY, Chat, Completion, Sampling
from answering.models.error_translation import CHAT
from answering.models.limits import Limits


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
