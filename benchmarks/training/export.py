"""From a trained model to a pack: ONNX, int8, tokenizer, manifest.

Weights become 8-bit integers with a scale per channel; activations are quantized as they come. The word embeddings,
half of all weights, are stored in 8 bits too.
"""

import hashlib
import json
import shutil
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import nn

from answering.compact.model import MANIFEST, MODEL, TOKENIZER
from benchmarks.training.encoder import encoder_folder

INPUTS = ("ids", "types")
OPSET = 18


def export(model: nn.Module, outputs: Sequence[str], folder: Path, *, int8: bool = True) -> Path:
    """Write the model into the folder, without its mask, for one sequence of any length; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / MODEL
    with tempfile.TemporaryDirectory() as scratch:
        full = Path(scratch) / "full.onnx"
        _export_full(model.eval().cpu(), outputs, full)
        if int8:
            quantize_dynamic(full, target, per_channel=True, reduce_range=False, weight_type=QuantType.QInt8)
        else:
            shutil.copy(full, target)
    shutil.copy(encoder_folder() / "tokenizer.json", folder / TOKENIZER)
    return target


def write_manifest(folder: Path, name: str, window_tokens: int, settings: Mapping[str, float]) -> None:
    """Say what lies in the folder, and how it hashes."""
    manifest: dict[str, Any] = {
        "name": name,
        "window_tokens": window_tokens,
        "settings": {key: round(float(value), 6) for key, value in settings.items()},
        "sha256": {file: hashlib.sha256((folder / file).read_bytes()).hexdigest() for file in (MODEL, TOKENIZER)},
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")


def _export_full(model: nn.Module, outputs: Sequence[str], path: Path) -> None:
    example = (torch.ones(1, 16, dtype=torch.int64),) * len(INPUTS)
    axes = {name: {1: "tokens"} for name in INPUTS}
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            example,
            path,
            input_names=list(INPUTS),
            output_names=list(outputs),
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,
        )
