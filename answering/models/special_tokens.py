"""The tokens of a model that are more than text: what a GGUF file says of them, and texts without them.

A server of llama.cpp reads such a token wherever it is written, also within a document.
"""

import re
from array import array
from itertools import compress
from pathlib import Path
from struct import calcsize, error, unpack
from typing import BinaryIO

from answering.errors import ModelRefused
from answering.models.chat import CLOSE, OPEN

MAGIC = b"GGUF"
TOKENS, TYPES = b"tokenizer.ggml.tokens", b"tokenizer.ggml.token_type"
# Types of values in the header, and types of tokens, as llama.cpp numbers them.
_FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _ARRAY, _INTEGER = 8, 9, 5
_CONTROL, _USER_DEFINED, _UNUSED = 3, 4, 5
# Vocabularies also list words, marks and white space by themselves.
_MARKUP = re.compile(r"[^\w\s]\S*\w")


class SpecialTokens:
    """Right answers; each is right by itself if there are several."""

    def __init__(self, tokens: frozenset[str]) -> None:
        self.tokens = tokens - {OPEN, CLOSE}
        self._lengths = sorted({len(token) for token in self.tokens})
        self._first = re.compile("|".join(sorted({re.escape(token[0]) for token in self.tokens})))

    def escaped(self, text: str) -> str:
        """The text with a round bracket where a token begins."""
        return self._first.sub(self._replacement, text) if self.tokens else text

    def _replacement(self, match: re.Match[str]) -> str:
        begin, text = match.start(), match.string
        is_token = any(text[begin : begin + length] in self.tokens for length in self._lengths)
        return "(" if is_token else match[0]


NO_TOKENS = SpecialTokens(frozenset())


def special_tokens(path: Path) -> SpecialTokens:
    """The special tokens that a GGUF file names in its header. Raises `ModelRefused` where that cannot be read."""
    try:
        with path.open("rb") as file:
            texts, types = _vocabulary(file)
    except (OSError, error, ValueError, KeyError, OverflowError) as failure:
        raise ModelRefused(f"The tokens of {path} cannot be read; is it a whole GGUF file?") from failure
    control = compress(texts, (kind == _CONTROL for kind in types))
    others = compress(texts, (kind in {_USER_DEFINED, _UNUSED} for kind in types))
    named = [*control, *(token for token in others if _MARKUP.match(token))]
    # A vocabulary may write a space as U+2581.
    written = {form for token in named for form in (token, token.replace("\u2581", " "))}
    return SpecialTokens(frozenset(token for token in written if len(token) > 1))


def _vocabulary(file: BinaryIO) -> tuple[list[str], list[int]]:
    """The texts of the tokens, and their types; both empty in a file without a vocabulary."""
    if file.read(4) != MAGIC:
        raise ValueError("no GGUF file")
    _version, _tensors, fields = _numbers(file, "IQQ")
    texts, types = list[str](), list[int]()
    for _ in range(fields):
        name, (kind,) = _text(file), _numbers(file, "I")
        if kind != _ARRAY:
            _skip(file, kind, 1)
            continue
        kind, count = _numbers(file, "IQ")
        if name == TOKENS and kind == _TEXT:
            texts = [_text(file).decode(errors="replace") for _ in range(count)]
        elif name == TYPES and kind == _INTEGER:
            types = list(array("i", _exactly(file, 4 * count)))
        else:
            _skip(file, kind, count)
        if texts and types:
            break
    return texts, types


def _skip(file: BinaryIO, kind: int, count: int) -> None:
    if kind != _TEXT:
        file.seek(count * calcsize(f"<{_FORMATS[kind]}"), 1)
        return
    for _ in range(count):
        _text(file)


def _text(file: BinaryIO) -> bytes:
    (length,) = _numbers(file, "Q")
    return _exactly(file, length)


def _numbers(file: BinaryIO, kinds: str) -> tuple[int, ...]:
    return unpack(f"<{kinds}", _exactly(file, calcsize(f"<{kinds}")))


def _exactly(file: BinaryIO, count: int) -> bytes:
    content = file.read(count)
    if len(content) < count:
        raise ValueError("the file is cut off")
    return content
