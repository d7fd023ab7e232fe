"""A compact model: a folder with the model, its tokenizer, and a manifest with their hashes and settings."""

import asyncio
import hashlib
import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from onnxruntime import InferenceSession, SessionOptions
from tokenizers import Tokenizer

from answering.errors import ModelDamaged, ModelUnavailable

M = TypeVar("M")
T = TypeVar("T")
P = ParamSpec("P")

MANIFEST = "manifest.json"
MODEL = "model.onnx"
TOKENIZER = "tokenizer.json"
# ONNX Runtime 1.31 adds and normalizes in one loop without vector instructions: a window takes 1.14 times as long.
_SLOWER_OPTIMIZERS = ("SkipLayerNormFusion",)


@dataclass(frozen=True)
class CompactModel:
    """A model on disk; `settings` are numbers chosen on development data, such as thresholds."""

    folder: Path
    name: str
    sha256: dict[str, str]
    window_tokens: int
    settings: dict[str, float]

    @classmethod
    def open(cls, folder: Path) -> "CompactModel":
        """Reads the manifest; the files are checked when they are loaded. Raises `ModelDamaged`."""
        try:
            manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text("utf-8"))
            return cls(
                folder=folder,
                name=str(manifest["name"]),
                sha256=dict(manifest["sha256"]),
                window_tokens=int(manifest["window_tokens"]),
                settings={name: float(value) for name, value in manifest["settings"].items()},
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelDamaged(f"{folder / MANIFEST} is missing or damaged; install Credence anew.") from error

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hex) over everything that changes the output."""
        content = [self.name, sorted(self.sha256.items()), self.window_tokens, sorted(self.settings.items())]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    def content(self, file: str) -> bytes:
        """Of a file of the pack. Raises `ModelDamaged`, as the following do."""
        return _checked(self.folder / file, self.sha256.get(file))

    def tokenizer(self) -> Tokenizer:
        """The tokenizer, which neither truncates nor pads; shared by all that open this model."""
        return _tokenizer(self.folder / TOKENIZER, self.sha256.get(TOKENIZER))

    def session(self) -> InferenceSession:
        """The model on one thread: sequences run in parallel on several threads instead of one sequence on all.

        Shared by all that open this model in a process.
        """
        return _session(self.folder / MODEL, self.sha256.get(MODEL))


@lru_cache(maxsize=4)
def _tokenizer(file: Path, sha256: str | None) -> Tokenizer:
    tokenizer = Tokenizer.from_str(_checked(file, sha256).decode("utf-8"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def single_threaded(model: bytes) -> InferenceSession:
    """A session of a serialized ONNX model."""
    options = SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # Processors without VNNI add products of 8 bits in 16, where sums saturate: of 1,383 readings 61 were others there.
    # This widens them, for a fifth more time on those processors alone.
    options.add_session_config_entry("session.x64quantprecision", "1")
    return InferenceSession(model, options, providers=["CPUExecutionProvider"], disabled_optimizers=_SLOWER_OPTIMIZERS)


@lru_cache(maxsize=4)
def _session(file: Path, sha256: str | None) -> InferenceSession:
    return single_threaded(_checked(file, sha256))


def _checked(file: Path, sha256: str | None) -> bytes:
    try:
        content = file.read_bytes()
    except OSError as error:
        raise ModelDamaged(f"{file} cannot be read; install Credence anew.") from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ModelDamaged(f"{file} is not the file that was trained; install Credence anew.")
    return content


class ModelThreads(Generic[M]):
    """Threads that run a model, one per core by default; the model is loaded once, at the first call."""

    def __init__(self, load: Callable[[], M], *, name: str, threads: int | None = None) -> None:
        self._load = load
        self._name = name
        self._pool = ThreadPoolExecutor(threads or os.cpu_count() or 1, thread_name_prefix=name)
        self._loading = Lock()
        self._model: M | None = None
        self._closed = False

    async def run(self, call: Callable[Concatenate[M, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of `call(model, ...)` on one of the threads. Raises `ModelUnavailable` after `close`."""
        if self._closed:
            raise ModelUnavailable(f"The {self._name} is closed.")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, lambda: call(self._loaded(), *args, **kwargs))

    def close(self) -> None:
        self._closed = True
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _loaded(self) -> M:
        with self._loading:
            if self._model is None:
                self._model = self._load()
            return self._model
