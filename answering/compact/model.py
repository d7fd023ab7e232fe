"""A pack: a folder with one compact model, its tokenizer, and a manifest that says what they are and how they hash."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from onnxruntime import InferenceSession, SessionOptions
from tokenizers import Tokenizer

from answering.errors import ModelDamaged

MANIFEST = "manifest.json"
MODEL = "model.onnx"
TOKENIZER = "tokenizer.json"


@dataclass(frozen=True)
class CompactModel:
    """A model as it lies on disk; `settings` are numbers chosen on development data, such as thresholds."""

    folder: Path
    name: str
    sha256: dict[str, str]
    window_tokens: int
    settings: dict[str, float]

    @classmethod
    def open(cls, folder: Path) -> "CompactModel":
        """Read the manifest; the files are checked when they are loaded. Raises `ModelDamaged`."""
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
        """SHA-256 over all that changes what the model says."""
        told = [self.name, sorted(self.sha256.items()), self.window_tokens, sorted(self.settings.items())]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()

    def tokenizer(self) -> Tokenizer:
        """The tokenizer, which neither truncates nor pads."""
        tokenizer = Tokenizer.from_str(self._checked(TOKENIZER).decode("utf-8"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    def session(self) -> InferenceSession:
        """The model on one thread: several sequences are run at once on several threads instead of one on all."""
        options = SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        return InferenceSession(self._checked(MODEL), options, providers=["CPUExecutionProvider"])

    def _checked(self, name: str) -> bytes:
        try:
            content = (self.folder / name).read_bytes()
        except OSError as error:
            raise ModelDamaged(f"{self.folder / name} cannot be read; install Credence anew.") from error
        if hashlib.sha256(content).hexdigest() != self.sha256.get(name):
            raise ModelDamaged(f"{self.folder / name} is not the file that was trained; install Credence anew.")
        return content
