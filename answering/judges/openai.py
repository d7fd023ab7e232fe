"""Judging with any model behind a URL that speaks the OpenAI protocol."""

import asyncio
import hashlib
import re
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, ValidationError

from answering.errors import ReaderError
from answering.gate import READER, Server
from answering.judges.port import Evidence, Judgement, Label, Pair, certain
from answering.judges.sentences import find_quote
from answering.prompts import load_prompt
from answering.readers.chat import ChatModel
from answering.readers.limited import LimitedReader
from answering.readers.messages import CLOSE, OPEN, defused, one_line
from answering.readers.port import Reading, Usage

MAX_OUTPUT_TOKENS = 512
REMINDER = "Your last reply could not be read. Reply with the one JSON object and nothing else."
UNREADABLE = "The model's reply could not be read, twice."
NOT_VERBATIM = "The model's quote does not stand in the passage."
_WRAPPING = re.compile(r"<think>.*?(?:</think>|\Z)|^\s*```(?:json)?\s*$", re.DOTALL | re.IGNORECASE | re.MULTILINE)


class _Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid")

    label: Label
    quote: str = ""


class OpenAIJudge:
    """One chat completion a pair, at temperature 0, so many at once; a reply that cannot be read is asked for again.

    What stays unreadable is irrelevant, with a note: it counts neither for the claim nor against it.
    """

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        api_key: str | None = None,
        concurrency: int = 4,
        timeout: float = 60.0,
        attempts: int = 3,
        server: Server = READER,
    ) -> None:
        chat = ChatModel(base_url=base_url, model=model, api_key=api_key, max_tokens=MAX_OUTPUT_TOKENS, server=server)
        self._asker = _Asker(chat)
        self._limited = LimitedReader(self._asker, concurrency=concurrency, timeout=timeout, attempts=attempts)
        self.name = f"openai:{model}:{self._asker.prompt_hash[:12]}"

    async def judge_all(self, pairs: Sequence[Pair]) -> list[Judgement]:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._judge(pair)) for pair in pairs]
        except* ReaderError as errors:
            raise _first(errors) from errors
        return [task.result() for task in tasks]

    async def aclose(self) -> None:
        await self._limited.aclose()

    async def _judge(self, pair: Pair) -> Judgement:
        first = await self._limited.read(pair.claim, [pair.passage])
        verdict = parse(first.raw)
        if verdict is not None:
            return _judgement(verdict, pair.passage, first.usage)
        second = await self._limited.read(pair.claim, [pair.passage, REMINDER])
        usage = first.usage + second.usage
        verdict = parse(second.raw)
        return (
            certain(Label.IRRELEVANT, note=UNREADABLE, usage=usage)
            if verdict is None
            else _judgement(verdict, pair.passage, usage)
        )


class _Asker:
    """Asks as a reader does, so that the limits around readers hold here too; what follows the passage is said last."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat
        self._prompt = load_prompt("judging")
        self.name = "judge"
        self.prompt_hash = hashlib.sha256(f"{self._prompt.hash}:{MAX_OUTPUT_TOKENS}".encode()).hexdigest()

    async def read(self, question: str, passages: Sequence[str]) -> Reading:
        passage, *reminders = passages
        message = "\n\n".join([f"{OPEN}\n{defused(passage)}\n{CLOSE}", f"Claim: {one_line(question)}", *reminders])
        reply = await self._chat.complete(self._prompt.text, message, {})
        return Reading(None, reply.text, None, reply.usage)

    async def aclose(self) -> None:
        await self._chat.aclose()


def _first(errors: BaseExceptionGroup[ReaderError]) -> BaseException:
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
    evidence: Evidence | None = find_quote(passage, quote)
    return certain(label, evidence, note=None if evidence else NOT_VERBATIM, usage=usage)
