"""What a reader or a judge runs on windows: a tokenizer, and a model from tokens to logits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from numpy.typing import NDArray
from onnxruntime import InferenceSession
from tokenizers import Encoding, Tokenizer

from answering.compact.model import CompactModel
from answering.compact.windows import CLS, SEP, Window, encode

Outputs: TypeAlias = Sequence[NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a passage: their numbers, and the characters [start, end) that each stands for."""

    ids: Sequence[int]
    offsets: Sequence[tuple[int, int]]
    inside_words: Sequence[bool]
    """Whether a span that begins at the token begins inside a word, which it then holds whole."""


class WindowModel(Protocol):
    """A model of windows; safe for use by several threads at once."""

    @property
    def window_tokens(self) -> int: ...

    @property
    def marks(self) -> tuple[int, int]:
        """The tokens for the beginning of a window and for a border in it."""
        ...

    def tokens(self, question: str, passage: str, context: str = "") -> tuple[Sequence[int], Tokens, Sequence[int]]:
        """Those of the question or claim, of the passage and of its context."""
        ...

    def outputs(self, window: Window) -> Outputs:
        """The logits of a window, each with a first axis of one: of a reader that an answer starts and ends at each
        token (1, tokens), the first standing for none, and that there is one (1,); of a judge the labels (1, 3), and
        starts and ends.
        """
        ...


class BertWindowModel:
    """A model whose pack is whole: its tokenizer, and all its layers. Raises `ModelDamaged`."""

    marks = (CLS, SEP)

    def __init__(self, pack: CompactModel) -> None:
        self._tokenizer: Tokenizer = pack.tokenizer()
        self._session: InferenceSession = pack.session()
        self.window_tokens = pack.window_tokens

    def tokens(self, question: str, passage: str, context: str = "") -> tuple[Sequence[int], Tokens, Sequence[int]]:
        asked, encoding, above = encode(self._tokenizer, [question, passage, context])
        return asked.ids, bert_tokens(encoding), above.ids

    def outputs(self, window: Window) -> Outputs:
        outputs: Outputs = self._session.run(None, window.inputs)
        return outputs


def bert_tokens(encoding: Encoding) -> Tokens:
    """The tokens of an encoding by word pieces."""
    return Tokens(encoding.ids, encoding.offsets, [token.startswith("##") for token in encoding.tokens])
