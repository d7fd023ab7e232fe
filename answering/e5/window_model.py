"""Readers and judges of many languages: packs of upper layers and heads over lower layers that are not trained."""

from collections.abc import Sequence
from functools import lru_cache

from answering.compact.model import CompactModel
from answering.compact.window_model import Outputs, Tokens
from answering.compact.windows import Window
from answering.e5.encoder import PASSAGE, QUESTION, E5Encoder
from answering.e5.layers import E5Layers, differences_of, trained_layers
from answering.e5.tokenizer import BEGIN, END


class E5WindowModel:
    """As many of the encoder's layers from below as a pack trained, and above them those and the heads of the pack.

    Raises `ModelDamaged`.
    """

    marks = (BEGIN, END)

    def __init__(self, pack: CompactModel) -> None:
        differences = differences_of(pack)
        trained = trained_layers(differences)
        self._lower = lower = _lower_layers(len(trained))
        self._upper = E5Layers(lower.weights, trained, differences)
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


@lru_cache(maxsize=2)
def _lower_layers(count: int) -> E5Encoder:
    """Shared by the packs of a process."""
    return E5Encoder(count)
