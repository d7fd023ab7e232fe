"""Readers and judges of many languages: packs of upper layers and heads over the same lower layers."""

from collections.abc import Sequence
from functools import lru_cache

from answering.compact.model import CompactModel
from answering.compact.window_model import Outputs, Tokens
from answering.compact.windows import Window
from answering.e5.encoder import PASSAGE, QUESTION, E5Encoder
from answering.e5.layers import E5Layers, differences_of
from answering.e5.tokenizer import BEGIN, END

# Layers of the encoder below a pack, which are not trained.
LOWER_LAYERS = 6


class E5WindowModel:
    """The encoder, whose upper layers and heads are those of a pack. Raises `ModelDamaged`."""

    marks = (BEGIN, END)

    def __init__(self, pack: CompactModel) -> None:
        self._lower = lower = _lower_layers()
        upper = range(LOWER_LAYERS, lower.weights.layers)
        self._upper = E5Layers(lower.weights, upper, differences_of(pack))
        self._heads = pack.session()
        self.window_tokens = pack.window_tokens

    def tokens(self, question: str, passage: str, context: str = "") -> tuple[Sequence[int], Tokens, Sequence[int]]:
        tokenizer = self._lower.tokenizer
        ids, offsets = tokenizer.located(passage)
        # An answer may end inside a word, where particles follow it (Korean, Turkish) or no blank does (Chinese).
        found = Tokens(ids, offsets, [False] * len(ids))
        return tokenizer.tokens(QUESTION + question), found, tokenizer.tokens(PASSAGE + context)

    def outputs(self, window: Window) -> Outputs:
        states = self._upper.states(self._lower.states(window.ids))
        outputs: Outputs = self._heads.run(None, {"states": states})
        return outputs


@lru_cache(maxsize=1)
def _lower_layers() -> E5Encoder:
    """Shared by all packs of a process."""
    return E5Encoder(LOWER_LAYERS)
