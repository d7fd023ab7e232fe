"""Chat with a GGUF file: llama.cpp serves it in this process, on loopback, by the OpenAI protocol."""

import asyncio
import os
import re
from array import array
from functools import partial
from itertools import compress
from pathlib import Path
from struct import calcsize, error, unpack
from typing import Any, BinaryIO

from answering.errors import ModelRefused, ModelUnavailable
from answering.models.chat import CLOSE, GREEDY, MAX_TOKENS, OPEN, ChatProvider, Completion, Sampling
from answering.models.openai import OpenAIChat
from estimator.errors import installing

# A debate shows a model several documents at once.
CONTEXT_TOKENS = 8192
# The roles of a debate take turns, each with its own system prompt; a cached state is four times as fast as reading the
# prompt again.
CACHE_MIB = 1024
SETTINGS = "CREDENCE_READER_MODEL or CREDENCE_CHAT_MODEL"


def serve(path: Path, *, context_tokens: int, threads: int, cache_mib: int) -> Any:  # noqa: ANN401 - llama.cpp has no types
    """A server at its `listening_address` that does one request at a time, until its last reference goes.

    A prompt's common beginning with the last prompt is not read again, nor that with an earlier one whose state is in
    the cache of `cache_mib`. Raises `ModelRefused` if the file or the extra `local` is missing, or the file
    is no model.
    """
    if not path.is_file():
        raise ModelRefused(f"There is no GGUF file {path}; look at {SETTINGS}.")
    try:
        import xllamacpp  # noqa: PLC0415  (an extra of 100 MB that most installations do not have)
    except ImportError as error:
        raise ModelRefused(f"Reading a GGUF file needs llama.cpp: {installing('local')}.") from error
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = context_tokens
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    parameters.n_gpu_layers = 0
    # Without flash attention a processor reads prompts a tenth faster.
    parameters.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    parameters.cache_ram_mib = cache_mib
    parameters.verbosity = 0
    parameters.ui = False
    try:
        return xllamacpp.Server(parameters)
    except RuntimeError as error:
        raise ModelRefused(f"llama.cpp cannot load {path}; look at {SETTINGS}.") from error


class LlamaCppChat:
    """A chat model in a GGUF file; its server starts at the first completion and does one completion at a time.

    No special token of the model is left in what it is sent. A completion raises `ModelRefused` if the file or the
    extra `local` is missing.

    >>> LlamaCppChat("~/models/Qwen3-4B.gguf").name
    'gguf:Qwen3-4B'
    """

    def __init__(
        self,
        model: str,
        *,
        max_tokens: int = MAX_TOKENS,
        context_tokens: int = CONTEXT_TOKENS,
        cache_mib: int = CACHE_MIB,
    ) -> None:
        self._path = Path(model).expanduser()
        self.name = f"gguf:{self._path.stem}"
        self._max_tokens = max_tokens
        threads = os.cpu_count() or 1
        self._serve = partial(serve, self._path, context_tokens=context_tokens, threads=threads, cache_mib=cache_mib)
        self._turn, self._starting = asyncio.Lock(), asyncio.Lock()
        self._closed = False
        self._server: Any = None
        self._client: OpenAIChat | None = None
        self._tokens = NO_TOKENS

    async def complete(self, system: str, message: str, *, sampling: Sampling = GREEDY) -> Completion:
        async with self._turn:
            client = await self._started()
            escape = self._tokens.escaped
            return await client.complete(escape(system), escape(message), sampling=sampling)

    async def aclose(self) -> None:
        self._closed = True
        async with self._starting:
            if self._client is not None:
                await self._client.aclose()
            # The server stops when its last reference goes, which waits for its threads.
            await asyncio.to_thread(self._drop_server)

    async def _started(self) -> OpenAIChat:
        async with self._starting:
            if self._closed:
                raise ModelUnavailable("The local model is closed.")
            if self._client is None:
                self._server = await asyncio.to_thread(self._serve)
                self._tokens = await asyncio.to_thread(special_tokens, self._path)
                url = f"{self._server.listening_address}/v1"
                self._client = OpenAIChat(base_url=url, model="local", max_tokens=self._max_tokens)
            return self._client

    def _drop_server(self) -> None:
        self._server = None


GGUF = ChatProvider(
    name="gguf",
    summary="path of a GGUF file; it takes up to 1 GiB of memory more than its size, as a cache of prompts",
    serves=lambda settings: settings.chat_url is None,
    make=lambda settings: LlamaCppChat(str(settings.chat_model)),
)


MAGIC = b"GGUF"
TOKENS, TYPES = b"tokenizer.ggml.tokens", b"tokenizer.ggml.token_type"
# Types of values in the header, and types of tokens, as llama.cpp numbers them.
_FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _ARRAY, _INTEGER = 8, 9, 5
_CONTROL, _USER_DEFINED, _UNUSED = 3, 4, 5
# Vocabularies also list words, marks and white space by themselves.
_MARKUP = re.compile(r"[^\w\s]\S*\w")


class SpecialTokens:
    """Right answers; each is right by itself if there are several."""

    def __init__(self, tokens: frozenset[str]) -> None:
        self.tokens = tokens - {OPEN, CLOSE}
        self._lengths = sorted({len(token) for token in self.tokens})
        self._first = re.compile("|".join(sorted({re.escape(token[0]) for token in self.tokens})))

    def escaped(self, text: str) -> str:
        """The text with a round bracket where a token begins."""
        return self._first.sub(self._replacement, text) if self.tokens else text

    def _replacement(self, match: re.Match[str]) -> str:
        begin, text = match.start(), match.string
        is_token = any(text[begin : begin + length] in self.tokens for length in self._lengths)
        return "(" if is_token else match[0]


NO_TOKENS = SpecialTokens(frozenset())


def special_tokens(path: Path) -> SpecialTokens:
    """The special tokens that a GGUF file names in its header. Raises `ModelRefused` where that cannot be read."""
    try:
        with path.open("rb") as file:
            texts, types = _vocabulary(file)
    except (OSError, error, ValueError, KeyError, OverflowError) as failure:
        raise ModelRefused(f"The tokens of {path} cannot be read; is it a whole GGUF file?") from failure
    control = compress(texts, (kind == _CONTROL for kind in types))
    others = compress(texts, (kind in {_USER_DEFINED, _UNUSED} for kind in types))
    named = [*control, *(token for token in others if _MARKUP.match(token))]
    # A vocabulary may write a space as U+2581.
    written = {form for token in named for form in (token, token.replace("\u2581", " "))}
    return SpecialTokens(frozenset(token for token in written if len(token) > 1))


def _vocabulary(file: BinaryIO) -> tuple[list[str], list[int]]:
    """The texts of the tokens, and their types; both empty in a file without a vocabulary."""
    if file.read(4) != MAGIC:
        raise ValueError("no GGUF file")
    _version, _tensors, fields = _numbers(file, "IQQ")
    texts, types = list[str](), list[int]()
    for _ in range(fields):
        name, (kind,) = _text(file), _numbers(file, "I")
        if kind != _ARRAY:
            _skip(file, kind, 1)
            continue
        kind, count = _numbers(file, "IQ")
        if name == TOKENS and kind == _TEXT:
            texts = [_text(file).decode(errors="replace") for _ in range(count)]
        elif name == TYPES and kind == _INTEGER:
            types = list(array("i", _exactly(file, 4 * count)))
        else:
            _skip(file, kind, count)
        if texts and types:
            break
    return texts, types


def _skip(file: BinaryIO, kind: int, count: int) -> None:
    if kind != _TEXT:
        file.seek(count * calcsize(f"<{_FORMATS[kind]}"), 1)
        return
    for _ in range(count):
        _text(file)


def _text(file: BinaryIO) -> bytes:
    (length,) = _numbers(file, "Q")
    return _exactly(file, length)


def _numbers(file: BinaryIO, kinds: str) -> tuple[int, ...]:
    return unpack(f"<{kinds}", _exactly(file, calcsize(f"<{kinds}")))


def _exactly(file: BinaryIO, count: int) -> bytes:
    content = file.read(count)
    if len(content) < count:
        raise ValueError("the file is cut off")
    return content
