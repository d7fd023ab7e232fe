"""Embeddings of any model behind a URL that speaks the OpenAI protocol."""

from collections.abc import Sequence

import numpy as np

from answering.embedders.embedder import EmbedderProvider, Vectors, normalised
from answering.errors import UnreadableReply
from answering.models.openai_client import EMBEDDINGS, open_client, translate_errors
from answering.providers import secret_value

BATCH = 128
TIMEOUT_SECONDS = 60.0
RETRIES = 2


class OpenAIEmbedder:
    """Sends texts in batches; the client retries what may succeed.

    >>> OpenAIEmbedder(base_url="http://localhost:11434/v1", model="nomic-embed-text", dimension=768).name
    'openai:nomic-embed-text'
    """

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        dimension: int,
        api_key: str | None = None,
    ) -> None:
        self.name = f"openai:{model}"
        self.dimension = dimension
        self._model = model
        self._client = open_client(base_url, api_key, timeout=TIMEOUT_SECONDS, retries=RETRIES)

    async def embed(self, texts: Sequence[str], *, passages: bool = False) -> Vectors:  # noqa: ARG002
        batches = [await self._batch(list(texts[start : start + BATCH])) for start in range(0, len(texts), BATCH)]
        return np.concatenate([np.empty((0, self.dimension), dtype=np.float32), *batches])

    async def aclose(self) -> None:
        await self._client.close()

    async def _batch(self, texts: list[str]) -> Vectors:
        # Many servers refuse an empty text.
        encodable = [text.encode("utf-8", "replace").decode("utf-8") or " " for text in texts]
        with translate_errors(EMBEDDINGS):
            reply = await self._client.embeddings.create(model=self._model, input=encodable, encoding_format="float")
            rows = [row.embedding for row in sorted(reply.data, key=lambda row: row.index)]
        if len(rows) != len(texts) or any(len(row) != self.dimension for row in rows):
            raise UnreadableReply(
                f"The model {self._model} did not send {len(texts)} embeddings of {self.dimension} numbers; "
                "set CREDENCE_EMBEDDING_DIMENSION to the length it makes."
            )
        return normalised(np.array(rows, dtype=np.float32))


OPENAI = EmbedderProvider(
    name="openai",
    summary="embeddings of any URL that speaks the OpenAI protocol",
    required={"embedding_url": "", "embedding_model": ""},
    make=lambda settings: OpenAIEmbedder(
        base_url=str(settings.embedding_url),
        model=str(settings.embedding_model),
        dimension=settings.embedding_dimension,
        api_key=secret_value(settings.embedding_api_key),
    ),
)
