"""Embeddings from any URL that speaks the OpenAI protocol."""

from collections.abc import Sequence

import numpy as np
from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError, AsyncOpenAI

from answering.embedders.port import Vectors, normalised
from answering.errors import ReaderError, ReaderRefused, ReaderTimeout, ReaderUnavailable, UnreadableReply

BATCH = 128
TRANSIENT = frozenset({408, 409, 429})


class OpenAIEmbedder:
    """Sends texts in batches; the client retries what may yet succeed."""

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        dimension: int,
        api_key: str | None = None,
        timeout: float = 60.0,
        attempts: int = 3,
    ) -> None:
        self.name = f"openai:{model}"
        self.dimension = dimension
        self._model = model
        self._client = AsyncOpenAI(
            base_url=base_url, api_key=api_key or "none", timeout=timeout, max_retries=attempts - 1
        )

    async def embed(self, texts: Sequence[str]) -> Vectors:
        batches = [await self._batch(list(texts[at : at + BATCH])) for at in range(0, len(texts), BATCH)]
        return np.concatenate([np.empty((0, self.dimension), dtype=np.float32), *batches])

    async def aclose(self) -> None:
        await self._client.close()

    async def _batch(self, texts: list[str]) -> Vectors:
        # Many servers refuse an empty text.
        clean = [text.encode("utf-8", "replace").decode("utf-8") or " " for text in texts]
        try:
            reply = await self._client.embeddings.create(model=self._model, input=clean, encoding_format="float")
        except APIError as error:
            raise _translated(error) from error
        except ValueError as error:
            raise UnreadableReply("The embeddings server did not reply with JSON.") from error
        rows = [row.embedding for row in sorted(reply.data or [], key=lambda row: row.index)]
        if len(rows) != len(texts) or any(len(row) != self.dimension for row in rows):
            raise UnreadableReply(
                f"The model {self._model} did not send {len(texts)} embeddings of {self.dimension} numbers; "
                "set CREDENCE_EMBEDDING_DIMENSION to the length it makes."
            )
        return normalised(np.array(rows, dtype=np.float32))


def _translated(error: APIError) -> ReaderError:
    if isinstance(error, APITimeoutError):
        return ReaderTimeout("The embeddings server did not reply in time.")
    if isinstance(error, APIConnectionError):
        return ReaderUnavailable("The embeddings server cannot be reached; look at CREDENCE_EMBEDDING_URL.")
    if isinstance(error, APIStatusError) and (error.status_code in TRANSIENT or error.status_code >= 500):
        return ReaderUnavailable(f"The embeddings server failed with status {error.status_code}.")
    if isinstance(error, APIStatusError):
        return ReaderRefused(
            f"The embeddings server refused the request with status {error.status_code}; look at "
            "CREDENCE_EMBEDDING_URL, CREDENCE_EMBEDDING_MODEL and CREDENCE_EMBEDDING_API_KEY."
        )
    return UnreadableReply("The embeddings server sent something that is not the OpenAI protocol.")
