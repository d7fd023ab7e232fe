"""Reading with a GGUF file: llama.cpp serves it in this process, on loopback, by the OpenAI protocol."""

from answering.models import LlamaCppChat
from answering.readers.openai import ChatReader
from answering.readers.reader import ReaderProvider

CONTEXT_TOKENS = 4096

GGUF = ReaderProvider(
    name="gguf",
    summary="a GGUF file on this machine",
    required={"reader_model": "the path of a GGUF file"},
    make=lambda settings: ChatReader(
        LlamaCppChat(str(settings.reader_model), context_tokens=CONTEXT_TOKENS, cache_mib=0)
    ),
    make_chat=lambda settings: LlamaCppChat(str(settings.reader_model)),
    calls_model=True,
)
