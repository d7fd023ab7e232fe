"""The language model of a benchmark: a GGUF file served in this process, or any URL."""

from importlib.util import find_spec
from pathlib import Path

from answering.models import Chat
from answering.models.llamacpp import LlamaCppChat
from answering.models.openai import OpenAIChat
from benchmarks.harness import CannotMeasureError
from estimator.errors import installing

MAX_OUTPUT_TOKENS = 256


def language_model(model: str | None) -> Chat:
    """The model at a path, or at `URL#name`. Raises `CannotMeasureError` where there is none."""
    if not model:
        raise CannotMeasureError("no language model: name a GGUF file, or URL#name, with --model or BENCHMARK_CHAT")
    if model.startswith(("http://", "https://")):
        url, _, name = model.partition("#")
        return OpenAIChat(base_url=url, model=name, max_tokens=MAX_OUTPUT_TOKENS)
    if not Path(model).expanduser().is_file():
        raise CannotMeasureError(f"no language model at {model}; name a GGUF file with --model or BENCHMARK_CHAT")
    if find_spec("xllamacpp") is None:
        raise CannotMeasureError(f"a GGUF file needs llama.cpp: {installing('local')}")
    return LlamaCppChat(model, max_tokens=MAX_OUTPUT_TOKENS)
