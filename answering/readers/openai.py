"""Reading with any model behind a URL that speaks the OpenAI protocol."""

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from openai import AsyncOpenAI
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, UserPromptPart
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIChatModelSettings
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers import Provider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from answering.client import open_client
from answering.gate import READER, gate
from answering.prompts import load_prompt
from answering.readers.cleaning import clean
from answering.readers.messages import user_message
from answering.readers.port import Reading, Usage

SEED = 7
# The shortest exact answer is a few words; a model that thinks aloud gets some room to come to it.
MAX_OUTPUT_TOKENS = 512
LONGEST_READING = 600.0
OPENAI_HOSTS = ("api.openai.com", ".openai.azure.com")
# Everybody but OpenAI understands `max_tokens`, and not everybody `max_completion_tokens`.
_COMPATIBLE = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)


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
        # The limiter sets the timeout of an attempt; this one only frees a connection nobody waits for any more.
        self._client = open_client(base_url, api_key, timeout=LONGEST_READING)
        self._model = OpenAIChatModel(model, provider=_provider(self._client))

    async def read(self, question: str, passages: Sequence[str]) -> Reading:
        return await self.complete(user_message(question, passages), {})

    async def complete(self, message: str, extra_body: Mapping[str, Any]) -> Reading:
        """One completion of the reading prompt with this user message; `extra_body` is for this request alone."""
        started = time.perf_counter()
        response = await self._request(message, self._extra_body | dict(extra_body))
        usage = Usage(
            1, response.usage.input_tokens, response.usage.output_tokens, (time.perf_counter() - started) * 1000
        )
        raw = response.text or ""
        return Reading(clean(raw), raw, None, usage)

    async def aclose(self) -> None:
        await self._client.close()

    async def _request(self, message: str, extra_body: Mapping[str, Any]) -> ModelResponse:
        settings = OpenAIChatModelSettings(temperature=0.0, max_tokens=MAX_OUTPUT_TOKENS, seed=SEED)
        if extra_body:
            settings["extra_body"] = dict(extra_body)
        request = ModelRequest(parts=[SystemPromptPart(self._prompt.text), UserPromptPart(message)])
        with gate(READER):
            return await model_request(self._model, [request], model_settings=settings)


def _provider(client: AsyncOpenAI) -> Provider[AsyncOpenAI]:
    if (client.base_url.host or "").endswith(OPENAI_HOSTS):
        return OpenAIProvider(openai_client=client)
    return OpenAICompatibleProvider("openai-compatible", openai_client=client, profile=_COMPATIBLE)
