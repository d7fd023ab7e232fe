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
from answering.e5.layers import DIFFERENCES
from benchmarks.training.encoder import encoder_folder

TOKENS = torch.ones(1, 16, dtype=torch.int64)
OPSET = 18


def export(model: nn.Module, outputs: Sequence[str], folder: Path, *, int8: bool = True) -> Path:
    """Write the model into the folder, without its mask, for one sequence of any length; returns its path."""
    target = export_model(model, {"ids": TOKENS, "types": TOKENS}, outputs, folder, int8=int8)
    shutil.copy(encoder_folder() / "tokenizer.json", folder / TOKENIZER)
    return target


def export_model(
    model: nn.Module, inputs: Mapping[str, torch.Tensor], outputs: Sequence[str], folder: Path, *, int8: bool = True
) -> Path:
    """The same without a tokenizer, for inputs such as these; their second axis may have any length."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / MODEL
    with tempfile.TemporaryDirectory() as scratch:
        full = Path(scratch) / "full.onnx"
        _export_full(model.eval().cpu(), inputs, outputs, full)
        if int8:
            quantize_dynamic(full, target, per_channel=True, reduce_range=False, weight_type=QuantType.QInt8)
        else:
            shutil.copy(full, target)
    return target


def write_manifest(folder: Path, name: str, window_tokens: int, settings: Mapping[str, float]) -> None:
    """Say what lies in the folder, and how it hashes."""
    manifest: dict[str, Any] = {
        "name": name,
        "window_tokens": window_tokens,
        "settings": {key: round(float(value), 6) for key, value in settings.items()},
        "sha256": {
            file: hashlib.sha256((folder / file).read_bytes()).hexdigest()
            for file in (MODEL, TOKENIZER, DIFFERENCES)
            if (folder / file).exists()
        },
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")


def _export_full(model: nn.Module, inputs: Mapping[str, torch.Tensor], outputs: Sequence[str], path: Path) -> None:
    axes = {name: {1: "tokens"} for name in inputs}
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            tuple(inputs.values()),
            path,
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,
        )
