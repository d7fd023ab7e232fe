"""Readers and judges of many languages: packs of what training added to the layers, and of heads."""

from collections.abc import Sequence

from answering.compact.model import CompactModel
from answering.compact.window_model import Outputs, Tokens
from answering.compact.windows import Window
from answering.e5.embeddings import E5Embeddings
from answering.e5.encoder import PASSAGE, QUESTION
from answering.e5.layers import E5Layers, differences_of
from answering.e5.tokenizer import BEGIN, END


class E5WindowModel:
    """The encoder, whose layers and heads are those of a pack. Raises `ModelDamaged`."""

    marks = (BEGIN, END)

    def __init__(self, pack: CompactModel) -> None:
        self._embeddings = E5Embeddings.shared()
        self._layers = E5Layers(self._embeddings.weights, differences_of(pack))
        self._heads = pack.session()
        self.window_tokens = pack.window_tokens

    def tokens(self, question: str, passage: str, context: str = "") -> tuple[Sequence[int], Tokens, Sequence[int]]:
        tokenizer = self._embeddings.tokenizer
        ids, offsets = tokenizer.located(passage)
        # An answer may end inside a word, where particles follow it (Korean, Turkish) or no blank does (Chinese).
        found = Tokens(ids, offsets, [False] * len(ids))
        return tokenizer.tokens(QUESTION + question), found, tokenizer.tokens(PASSAGE + context)

    def outputs(self, window: Window) -> Outputs:
        states = self._layers.states(self._embeddings.of(window.ids))
        outputs: Outputs = self._heads.run(None, {"states": states})
        return outputs
