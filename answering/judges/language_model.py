"""Judging with any chat model."""

import asyncio
import hashlib
import re
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, ValidationError

from answering.errors import ModelError
from answering.judges.judge import Judgement, Label, Pair, Quote, certain
from answering.judges.quotes import find_quote
from answering.models import Chat, LimitedChat, Sampling
from answering.models.messages import CLOSE, OPEN, escape_markup, single_line
from answering.models.openai import OpenAIChat
from answering.models.usage import Usage
from answering.prompts import load_prompt

MAX_OUTPUT_TOKENS = 512
SAMPLING = Sampling(max_tokens=MAX_OUTPUT_TOKENS)
REMINDER = "Your last reply could not be read. Reply with the one JSON object and nothing else."
UNREADABLE = "The model's reply could not be read, twice."
NOT_VERBATIM = "The model's quote does not stand in the passage."
_WRAPPING = re.compile(r"<think>.*?(?:</think>|\Z)|^\s*```(?:json)?\s*$", re.DOTALL | re.IGNORECASE | re.MULTILINE)


class _Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid")

    label: Label
    quote: str = ""


class ChatJudge:
    """One completion a pair, at temperature 0; a reply that cannot be read is asked for again.

    What stays unreadable is irrelevant, with a note: it counts neither for the claim nor against it. Limits and retries
    are the chat model's.
    """

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._prompt = load_prompt("judging")
        told = hashlib.sha256(f"{self._prompt.hash}:{MAX_OUTPUT_TOKENS}".encode()).hexdigest()
        self.name = f"{chat.name}:{told[:12]}"

    async def judge_all(self, pairs: Sequence[Pair]) -> list[Judgement]:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._judge(pair)) for pair in pairs]
        except* ModelError as errors:
            raise _first(errors) from errors
        return [task.result() for task in tasks]

    async def aclose(self) -> None:
        await self._chat.aclose()

    async def _judge(self, pair: Pair) -> Judgement:
        message = f"{OPEN}\n{escape_markup(pair.passage)}\n{CLOSE}\n\nClaim: {single_line(pair.claim)}"
        first = await self._chat.complete(self._prompt.text, message, sampling=SAMPLING)
        verdict = parse(first.text)
        if verdict is not None:
            return _judgement(verdict, pair.passage, first.usage)
        second = await self._chat.complete(self._prompt.text, f"{message}\n\n{REMINDER}", sampling=SAMPLING)
        verdict, usage = parse(second.text), first.usage + second.usage
        if verdict is None:
            return certain(Label.IRRELEVANT, note=UNREADABLE, usage=usage)
        return _judgement(verdict, pair.passage, usage)


class OpenAIJudge(ChatJudge):
    """The same with a model behind a URL, asked so many things at once, so long, and so many times."""

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        api_key: str | None = None,
        concurrency: int = 4,
        timeout: float = 60.0,
        attempts: int = 3,
    ) -> None:
        chat = OpenAIChat(base_url=base_url, model=model, api_key=api_key, max_tokens=MAX_OUTPUT_TOKENS)
        super().__init__(LimitedChat(chat, concurrency=concurrency, timeout=timeout, attempts=attempts))


def _first(errors: BaseExceptionGroup[ModelError]) -> BaseException:
    first = errors.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first


def parse(reply: str) -> tuple[Label, str] | None:
    """The label and the quote of a reply that is the JSON object asked for, thoughts and code fences aside."""
    try:
        verdict = _Verdict.model_validate_json(_WRAPPING.sub("", reply).strip())
    except ValidationError:
        return None
    return verdict.label, verdict.quote


def _judgement(verdict: tuple[Label, str], passage: str, usage: Usage) -> Judgement:
    label, quote = verdict
    if label is Label.IRRELEVANT or not quote.strip():
        return certain(label, usage=usage)
    evidence: Quote | None = find_quote(passage, quote)
    return certain(label, evidence, note=None if evidence else NOT_VERBATIM, usage=usage)
