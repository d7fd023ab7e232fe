"""The language model that debates: a GGUF file served in this process, or any URL."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from answering.readers.chat import ChatModel
from benchmarks.harness import CannotMeasureError

CONTEXT_TOKENS = 8192
MAX_OUTPUT_TOKENS = 256


@contextmanager
def served(model: str | None) -> Iterator[ChatModel]:
    """The model at a path, or at `URL#name`; skips the benchmark where there is none."""
    if not model:
        raise CannotMeasureError("no language model: name a GGUF file, or URL#name, with --model or BENCHMARK_CHAT")
    if model.startswith(("http://", "https://")):
        url, _, name = model.partition("#")
        yield ChatModel(base_url=url, model=name, max_tokens=MAX_OUTPUT_TOKENS)
        return
    path = Path(model).expanduser()
    if not path.is_file():
        raise CannotMeasureError(f"no language model at {path}; name a GGUF file with --model or BENCHMARK_CHAT")
    try:
        import xllamacpp  # noqa: PLC0415  (an extra)
    except ImportError as error:
        raise CannotMeasureError("a GGUF file needs llama.cpp: pip install 'credence[local]'") from error
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = os.cpu_count() or 1
    parameters.n_gpu_layers = 0
    parameters.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    parameters.verbosity = 0
    parameters.ui = False
    server = xllamacpp.Server(parameters)
    yield ChatModel(base_url=f"{server.listening_address}/v1", model=path.stem, max_tokens=MAX_OUTPUT_TOKENS)
