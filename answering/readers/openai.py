"""Reading with any model behind a URL that speaks the OpenAI protocol."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from answering.models.chat import SEED
from answering.models.messages import user_message
from answering.models.openai import OpenAIChat
from answering.prompts import load_prompt
from answering.readers.reader import Reading
from answering.readers.reply import parse_reply

# The shortest exact answer is a few words; a model that thinks aloud gets some room to come to it.
MAX_OUTPUT_TOKENS = 512


class OpenAIReader:
    """One chat completion a reading, at temperature 0; retries and limits are `LimitedReader`'s work."""

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        api_key: str | None = None,
        name: str | None = None,
        extra_body: Mapping[str, Any] | None = None,
    ) -> None:
        self._prompt = load_prompt("reading")
        self.name = name or f"openai:{model}"
        self.prompt_hash = hashlib.sha256(
            json.dumps([self._prompt.hash, SEED, MAX_OUTPUT_TOKENS, dict(extra_body or {})], sort_keys=True).encode()
        ).hexdigest()
        self._extra_body = dict(extra_body or {})
        self._chat = OpenAIChat(base_url=base_url, model=model, api_key=api_key, max_tokens=MAX_OUTPUT_TOKENS)

    async def read(self, question: str, passages: Sequence[str]) -> Reading:
        return await self.complete(user_message(question, passages), {})

    async def complete(self, message: str, extra_body: Mapping[str, Any]) -> Reading:
        """One completion of the reading prompt with this user message; `extra_body` is for this request alone."""
        reply = await self._chat.complete(self._prompt.text, message, self._extra_body | dict(extra_body))
        return Reading(parse_reply(reply.text), reply.text, None, reply.usage)

    async def aclose(self) -> None:
        await self._chat.aclose()
