"""Judging with a chat model."""

import hashlib
import re
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, ValidationError

from answering.concurrency import run_all
from answering.judges.judge import Judgement, JudgeProvider, Label, Pair
from answering.judges.quotes import find_quote
from answering.models import Chat, Sampling, Usage
from answering.models.chat import single_line, tagged_passage
from answering.prompts import load_prompt

MAX_OUTPUT_TOKENS = 512
SAMPLING = Sampling(max_tokens=MAX_OUTPUT_TOKENS)
REMINDER = "Your last reply could not be read. Reply with the one JSON object and nothing else."
UNREADABLE = "The model's reply could not be read, twice."
NOT_VERBATIM = "The model's quote does not stand in the passage."
# To be raised with every change of how replies are read.
REVISION = 2
_WRAPPING = re.compile(r"<think>.*?(?:</think>|\Z)|^\s*```(?:json)?\s*$", re.DOTALL | re.IGNORECASE | re.MULTILINE)
# A label ends its field, so that the format `"supports" | "contradicts"`, which small models repeat, gives none.
_LABEL = re.compile(
    r"\blabel[\"'*_]{0,3}\s*[:=]\s*[*_]{0,2}([\"']?)(?P<label>[a-z]+)\1[*_.]{0,3}[ \t]*(?=[,;}\n]|\Z)", re.IGNORECASE
)
_QUOTE = re.compile(r'"quote"\s*:\s*"(?P<quote>.*?)(?:"\s*(?:[},]|\Z)|\Z)', re.DOTALL | re.IGNORECASE)


class Verdict(BaseModel):
    """The JSON object that the model is asked for."""

    model_config = ConfigDict(extra="ignore")

    label: Label
    quote: str = ""


class ChatJudge:
    """Judges each pair with one completion at temperature 0, repeated once if the reply cannot be read.

    If that cannot be read either, the judgement is irrelevant, with a note: it counts neither for the claim nor against
    it. Limits and retries are added by `LimitedChat`.

    >>> import asyncio
    >>> from tests.fakes.scripted_chat import ScriptedChat
    >>> judge = ChatJudge(ScriptedChat('{"label": "supports", "quote": "tora myhre"}'))
    >>> asyncio.run(judge.judge_all([Pair("Tora Myhre built it.", "It was built by Tora Myhre.")]))[0].quote
    Quote(start=16, end=26, text='Tora Myhre')
    """

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._prompt = load_prompt("judging")
        fingerprint = hashlib.sha256(f"{self._prompt.hash}:{MAX_OUTPUT_TOKENS}:{REVISION}".encode()).hexdigest()
        self.name = f"{chat.name}:{fingerprint[:12]}"

    async def judge_all(self, pairs: Sequence[Pair]) -> list[Judgement]:
        return await run_all([self._judge(pair) for pair in pairs])

    async def aclose(self) -> None:
        await self._chat.aclose()

    async def _judge(self, pair: Pair) -> Judgement:
        message = f"{tagged_passage(pair.passage)}\n\nClaim: {single_line(pair.claim)}"
        first = await self._chat.complete(self._prompt.text, message, sampling=SAMPLING)
        verdict = parse_verdict(first.text)
        if verdict is not None:
            return _judgement(verdict, pair.passage, first.usage)
        second = await self._chat.complete(self._prompt.text, f"{message}\n\n{REMINDER}", sampling=SAMPLING)
        verdict, usage = parse_verdict(second.text), first.usage + second.usage
        if verdict is None:
            return Judgement.certain(Label.IRRELEVANT, note=UNREADABLE, usage=usage)
        return _judgement(verdict, pair.passage, usage)


def parse_verdict(reply: str) -> Verdict | None:
    """The verdict of a reply, without thoughts and code fences; None if it gives none, or several.

    Of an object that is not JSON, such as one that is not closed or stands in a sentence, the fields are read; a label
    alone is a verdict without a quote.
    """
    text = _WRAPPING.sub("", reply).strip()
    try:
        return Verdict.model_validate_json(text)
    except ValidationError:
        return _verdict_of_fields(text)


def _verdict_of_fields(text: str) -> Verdict | None:
    labels = {match["label"].lower() for match in _LABEL.finditer(text)} or {text.strip("\"'*_. ").lower()}
    quote = _QUOTE.search(text)
    try:
        (label,) = labels
        return Verdict(label=Label(label), quote=quote["quote"].replace('\\"', '"') if quote else "")
    except ValueError:
        return None


def _judgement(verdict: Verdict, passage: str, usage: Usage) -> Judgement:
    if verdict.label is Label.IRRELEVANT or not verdict.quote.strip():
        return Judgement.certain(verdict.label, usage=usage)
    quote = find_quote(passage, verdict.quote)
    return Judgement.certain(verdict.label, quote, note=None if quote else NOT_VERBATIM, usage=usage)


LANGUAGE_MODEL = JudgeProvider(
    name="language_model",
    summary="the language model of `CREDENCE_CHAT_MODEL`",
    make=lambda require_chat: ChatJudge(require_chat()),
    calls_model=True,
)
