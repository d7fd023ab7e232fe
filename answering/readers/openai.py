"""Reading with a chat model, by default one behind a URL that speaks the OpenAI protocol."""

import hashlib
import json
from collections.abc import Sequence

from answering.enums import AbstentionReason
from answering.models import SEED, Chat, OpenAIChat, Sampling
from answering.models.chat import user_message
from answering.prompts import load_prompt
from answering.providers import secret_value
from answering.readers.reader import Reader, ReaderProvider, ReaderSettings, Reading
from answering.readers.reply import parse_reply

# The shortest exact answer is a few words; the rest is for models that think aloud before it.
MAX_OUTPUT_TOKENS = 512


class ChatReader:
    """Reads with one completion of a chat model at temperature 0; limits and retries are added by `LimitedReader`.

    >>> import asyncio
    >>> from tests.fakes.scripted_chat import ScriptedChat
    >>> reader = ChatReader(ScriptedChat("Answer: Tora Myhre."))
    >>> asyncio.run(reader.read("Who built the mill?", ["Tora Myhre built the mill."])).answer
    'Tora Myhre'
    """

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._prompt = load_prompt("reading")
        self.name = chat.name
        # The empty object stands for request options, which earlier versions had.
        prompt = json.dumps([self._prompt.hash, SEED, MAX_OUTPUT_TOKENS, {}])
        self.prompt_hash = hashlib.sha256(prompt.encode()).hexdigest()

    async def read(self, question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> Reading:
        sampling = Sampling(max_tokens=MAX_OUTPUT_TOKENS)
        message = user_message(question, passages, contexts)
        completion = await self._chat.complete(self._prompt.text, message, sampling=sampling)
        answer = parse_reply(completion.text)
        reason = AbstentionReason.DECLINED if answer is None else None
        return Reading(answer, completion.text, None, completion.usage, reason=reason)

    async def aclose(self) -> None:
        await self._chat.aclose()


def _chat(settings: ReaderSettings) -> OpenAIChat:
    return OpenAIChat(
        base_url=str(settings.reader_url),
        model=str(settings.reader_model),
        api_key=secret_value(settings.reader_api_key),
    )


def _reader(settings: ReaderSettings) -> Reader:
    return ChatReader(_chat(settings))


OPENAI = ReaderProvider(
    name="openai",
    summary="a language model behind any URL that speaks the OpenAI protocol",
    required={"reader_url": "", "reader_model": ""},
    make=_reader,
    make_chat=_chat,
    calls_model=True,
)
