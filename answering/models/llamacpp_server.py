"""llama.cpp in this process, serving a GGUF file on loopback by the OpenAI protocol."""

import os
from pathlib import Path
from typing import Any

from answering.errors import ModelRefused

CONTEXT_TOKENS = 4096
SETTINGS = "CREDENCE_READER_MODEL or CREDENCE_CHAT_MODEL"


def serve(
    path: Path, *, threads: int | None = None, context_tokens: int = CONTEXT_TOKENS, remembered_mib: int = 0
) -> Any:  # noqa: ANN401 - llama.cpp has no types
    """A server with one request at a time, at its `listening_address`; it stops when it is forgotten.

    What a prompt has in common with the beginning of the last one is not read again, nor of an earlier one whose state
    is among the `remembered_mib`. Raises `ModelRefused` if the file or the extra `credence[local]` is missing, or the
    file is no model.
    """
    if not path.is_file():
        raise ModelRefused(f"There is no GGUF file {path}; look at {SETTINGS}.")
    try:
        import xllamacpp  # noqa: PLC0415  (an extra of 100 MB that most installations do not have)
    except ImportError as error:
        raise ModelRefused("Reading a GGUF file needs llama.cpp: pip install 'credence[local]'.") from error
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = context_tokens
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads or os.cpu_count() or 1
    parameters.n_gpu_layers = 0
    # Without the fused attention a processor reads prompts a tenth faster.
    parameters.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    parameters.cache_ram_mib = remembered_mib
    parameters.verbosity = 0
    parameters.ui = False
    try:
        return xllamacpp.Server(parameters)
    except RuntimeError as error:
        raise ModelRefused(f"llama.cpp cannot load {path}; look at {SETTINGS}.") from error
