"""Chat with any model behind a URL that speaks the OpenAI protocol.

Pydantic AI is imported when such a chat is made: that takes a second, and most processes make none.
"""

import time
from typing import TYPE_CHECKING

from answering.models.chat import GREEDY, MAX_TOKENS, ChatProvider, Completion, Sampling
from answering.models.openai_client import CHAT, READER, ModelServer, open_client, translate_errors
from answering.models.usage import Usage
from answering.providers import secret_value

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModelSettings
    from pydantic_ai.providers import Provider

# Seconds. The caller sets the timeout of an attempt; this one only frees a connection that nobody waits for any more.
LONGEST_COMPLETION = 600.0
OPENAI_HOSTS = ("api.openai.com", ".openai.azure.com")


class OpenAIChat:
    """A chat model behind a URL; limits and retries are added by `LimitedChat`.

    `server` names the settings that an error message refers to.

    >>> OpenAIChat(base_url="http://localhost:11434/v1", model="qwen3:4b").name
    'openai:qwen3:4b'
    """

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        api_key: str | None = None,
        max_tokens: int = MAX_TOKENS,
        server: ModelServer = READER,
    ) -> None:
        from pydantic_ai.models.openai import OpenAIChatModel

        self.name = f"openai:{model}"
        self._server = server
        self._max_tokens = max_tokens
        self._client = open_client(base_url, api_key, timeout=LONGEST_COMPLETION)
        self._model = OpenAIChatModel(model, provider=_provider(self._client))

    async def complete(self, system: str, message: str, *, sampling: Sampling = GREEDY) -> Completion:
        from pydantic_ai.direct import model_request
        from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart

        started = time.perf_counter()
        settings: OpenAIChatModelSettings = {
            "temperature": sampling.temperature,
            "max_tokens": min(sampling.max_tokens or self._max_tokens, self._max_tokens),
            "seed": sampling.seed,
        }
        request = ModelRequest(parts=[SystemPromptPart(system), UserPromptPart(message)])
        with translate_errors(self._server):
            response = await model_request(self._model, [request], model_settings=settings)
        milliseconds = (time.perf_counter() - started) * 1000
        usage = Usage(1, response.usage.input_tokens, response.usage.output_tokens, milliseconds)
        return Completion(response.text or "", usage)

    async def aclose(self) -> None:
        await self._client.close()


def _provider(client: "AsyncOpenAI") -> "Provider[AsyncOpenAI]":
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    if (client.base_url.host or "").endswith(OPENAI_HOSTS):
        return OpenAIProvider(openai_client=client)
    # All other servers understand `max_tokens`, and not all of them `max_completion_tokens`.
    compatible = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
    return OpenAICompatibleProvider("openai-compatible", openai_client=client, profile=compatible)


OPENAI = ChatProvider(
    name="openai",
    summary="name of the model at that URL",
    serves=lambda settings: settings.chat_url is not None,
    make=lambda settings: OpenAIChat(
        base_url=str(settings.chat_url),
        model=str(settings.chat_model),
        api_key=secret_value(settings.chat_api_key),
        server=CHAT,
    ),
)
