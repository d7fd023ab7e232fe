"""Reading with a GGUF file: llama.cpp serves it in this process, on loopback, by the OpenAI protocol."""

import os
from collections.abc import Sequence
from pathlib import Path

from answering.models import LlamaCppChat
from answering.models.llamacpp import LlamaCppServers
from answering.models.openai import LONGEST_COMPLETION
from answering.models.openai_client import open_client
from answering.readers.openai import ChatReader
from answering.readers.reader import Reader, ReaderProvider, ReaderSettings, Reading
from answering.readers.span_choice import SpanChoiceReader, span_prompt_hash

CONTEXT_TOKENS = 4096
MAX_SERVERS = 4


class LlamaCppSpanReader:
    """Chooses a span of the passages with a small model in a GGUF file (`answering.readers.span_choice`).

    The model is served once for each core, up to four times, with one thread and one request at a time: the threads of
    llama.cpp wait for each other by spinning, so on a busy machine two threads are slower than one. The servers start
    at the first reading, which raises `ModelRefused` if the file or the extra `local` is missing.

    >>> LlamaCppSpanReader("~/models/SmolLM2-135M.gguf").name
    'gguf:SmolLM2-135M:span'
    """

    def __init__(self, model: str) -> None:
        path = Path(model).expanduser()
        self.name = f"gguf:{path.stem}:span"
        self.prompt_hash = span_prompt_hash()
        self._servers = LlamaCppServers(
            path, self._connect, count=min(os.cpu_count() or 1, MAX_SERVERS), context_tokens=CONTEXT_TOKENS
        )

    async def read(self, question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> Reading:
        async with self._servers.client() as reader:
            return await reader.read(question, passages, contexts)

    async def aclose(self) -> None:
        await self._servers.aclose()

    def _connect(self, url: str) -> SpanChoiceReader:
        return SpanChoiceReader(open_client(url, None, timeout=LONGEST_COMPLETION), name=self.name)


def _reader(settings: ReaderSettings) -> Reader:
    model = str(settings.reader_model)
    if settings.reader_span_only:
        return LlamaCppSpanReader(model)
    return ChatReader(LlamaCppChat(model, context_tokens=CONTEXT_TOKENS, cache_mib=0))


GGUF = ReaderProvider(
    name="gguf",
    summary="a GGUF file on this machine",
    required={"reader_model": "the path of a GGUF file"},
    make=_reader,
    make_chat=lambda settings: LlamaCppChat(str(settings.reader_model)),
    calls_model=True,
)
