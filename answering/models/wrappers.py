"""Chat models with limits on concurrency, time and attempts, and with a budget."""

from answering.errors import BudgetSpent
from answering.models.chat import GREEDY, Chat, Completion, Sampling
from answering.models.limits import CallLimits
from answering.models.openai_client import CHAT
from answering.models.usage import Meter, Usage
from answering.tracing import span


class LimitedChat:
    """A chat model with at most `concurrency` completions at once, each attempt within `timeout` seconds.

    What it retries, and when it takes the server for dead, is said in `answering.models.limits`.

    >>> import asyncio
    >>> from tests.fakes.scripted_chat import ScriptedChat
    >>> chat = LimitedChat(ScriptedChat("Paris"), concurrency=4, timeout=60.0, attempts=3)
    >>> asyncio.run(chat.complete("Answer in one word.", "What is the capital of France?")).text
    'Paris'
    """

    def __init__(self, chat: Chat, *, concurrency: int, timeout: float, attempts: int) -> None:
        self._chat = chat
        self._limits = CallLimits(concurrency=concurrency, timeout=timeout, attempts=attempts, setting=CHAT.url)

    @property
    def name(self) -> str:
        return self._chat.name

    async def complete(self, system: str, message: str, *, sampling: Sampling = GREEDY) -> Completion:
        with span("model call", model=self.name):
            return await self._limits.call(lambda: self._chat.complete(system, message, sampling=sampling))

    async def aclose(self) -> None:
        await self._chat.aclose()


class MeteredChat:
    """A chat model within a budget, whose meter may be shared; closing it does not close the model.

    `limits` names the settings that could be raised. A completion raises `BudgetSpent` if the budget is exhausted; one
    that fails counts as a call.

    >>> import asyncio
    >>> from answering.models import Budget, Meter
    >>> from tests.fakes.scripted_chat import ScriptedChat
    >>> meter = Meter(Budget(calls=1))
    >>> chat = MeteredChat(ScriptedChat("Paris"), meter, "max_model_calls")
    >>> asyncio.run(chat.complete("Answer in one word.", "What is the capital of France?")).text
    'Paris'
    >>> meter.exhausted
    True
    """

    def __init__(self, chat: Chat, meter: Meter, limits: str) -> None:
        self._chat = chat
        self._meter = meter
        self._limits = limits

    @property
    def name(self) -> str:
        return self._chat.name

    async def complete(self, system: str, message: str, *, sampling: Sampling = GREEDY) -> Completion:
        if not self._meter.begin_call():
            raise BudgetSpent(f"Nothing is left of what this work may spend on the language model ({self._limits}).")
        usage = Usage(model_calls=1)
        try:
            completion = await self._chat.complete(system, message, sampling=sampling)
            usage = completion.usage
        except BudgetSpent:
            usage = Usage()
            raise
        finally:
            self._meter.end_call(usage)
        return completion

    async def aclose(self) -> None:
        return
