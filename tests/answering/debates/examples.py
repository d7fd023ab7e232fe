"""Documents and scripted models that the tests of debates share."""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence

from answering.debates.driver import DebateLimits
from answering.debates.protocol import Ask, Debate, DebateResult, Reply, Request, SourceDocument, ask
from answering.debates.schema import ReplyStatus, StopReason
from answering.errors import ModelError
from answering.models import Completion, Sampling
from answering.models.chat import GREEDY
from answering.models.usage import Budget
from answering.prompts import load_prompt
from tests.fakes.scripted_chat import ChatCall, ScriptedChat

QUESTION = "Who leads the choir of Sund?"
LENA = SourceDocument("d1", "The choir of Sund has been led by Lena Dahl since 1990.", "a", 0.9)
IVAR = SourceDocument("d2", "On the island, Ivar Brask leads the choir of Sund.", "b", 0.8)
TOM = SourceDocument("d3", "Tom Reed is the leader of the choir of Sund.", "c", 0.3)
NOISE = SourceDocument("d4", "Buses leave the square of Sund every half hour.", "d", None)
DOCUMENTS = (LENA, IVAR, TOM, NOISE)

Role = str | Callable[[ChatCall], str | ModelError]


def by_prompt(roles: Mapping[str, Role], default: str = "") -> Callable[[ChatCall], str | ModelError]:
    """A script that knows its role by the prompt it is given."""
    texts = {load_prompt(name).text: role for name, role in roles.items()}

    def script(call: ChatCall) -> str | ModelError:
        role = texts.get(call.system, default)
        return role if isinstance(role, str) else role(call)

    return script


def reads_names(call: ChatCall) -> str:
    """An agent that finds the name in its document, as a good model would."""
    match = re.search(r"Lena Dahl|Ivar Brask|Tom Reed", call.message.partition("</document>")[0])
    return f"Answer: {match[0] if match else 'unknown'}\nBecause: it says so."


def outside_tags(text: str) -> str:
    """What a model would take at its word: everything that does not stand between a tag and its closing tag."""
    return re.sub(r"<(\w+) [^>\n]*>\n.*?\n</\1>", "", text, flags=re.DOTALL)


PROMPT = load_prompt("debate_agent")


def number(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


def asks(count: int, round_: int = 1) -> list[Ask[int]]:
    return [Ask(f"agent {n}", round_, PROMPT, f"message {n}", number) for n in range(1, count + 1)]


def result_of(replies: Sequence[Reply[int]], reason: StopReason = StopReason.ANSWERED) -> DebateResult:
    return DebateResult((), ",".join(str(reply.value) for reply in replies), reason, 1)


def one_round(count: int) -> Debate:
    replies = yield from ask(asks(count))
    return result_of(replies)


def many_rounds(count: int, rounds: int) -> Debate:
    done = 0
    for round_ in range(1, rounds + 1):
        replies = yield from ask(asks(count, round_))
        if any(reply.status is ReplyStatus.OUT_OF_BUDGET for reply in replies):
            return DebateResult((), "", StopReason.OUT_OF_BUDGET, done)
        done = round_
    return DebateResult((), "", StopReason.ROUNDS_SPENT, done)


def single(request: Request) -> Debate:
    (reply,) = yield (request,)
    return DebateResult((), f"{reply.status}: {reply.text}", StopReason.ANSWERED, 1)


def limits(
    *, calls: int | None = None, tokens: int | None = None, seconds: float | None = None, timeout: float = 60
) -> DebateLimits:
    return DebateLimits(Budget(calls, tokens, seconds), concurrency=3, timeout=timeout)


class SilentAfter(ScriptedChat):
    """Replies "1" to so many calls; the calls after them wait until they are cancelled."""

    def __init__(self, replies: int) -> None:
        super().__init__("1")
        self.under_way = 0
        self._replies = replies

    async def complete(self, system: str, message: str, *, sampling: Sampling = GREEDY) -> Completion:
        completion = await super().complete(system, message, sampling=sampling)
        if len(self.calls) > self._replies:
            self.under_way += 1
            try:
                await asyncio.Event().wait()
            finally:
                self.under_way -= 1
        return completion
