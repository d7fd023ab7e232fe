"""The classes of words in a question: names, question words, verbs. English."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from answering.questions.answer_type import FUNCTION_WORDS
from answering.questions.named_text import ASKING
from answering.questions.word_forms import folded_word
from answering.text import word_set
from answering.text.ordinary_words import is_ordinary_word

_TOKEN = re.compile(r"(?P<word>[^\W_]+(?:['\u2019-](?!s\b)[^\W_]+)*)(?P<owner>['\u2019]s\b)?|[^\w\s]")
_CLASSES: Mapping[str, str] = MappingProxyType(
    {
        word: letter
        for letter, words in {
            "W": "who whom whose what which when where why how",
            "V": "is are was were",
            "R": "tell give show name list find me us know need want like please",
            "D": "the its their",
            "F": "of",
            "P": "in for from",
            "A": "about",
            "I": "that those one ones",
        }.items()
        for word in word_set(words)
    }
)
# In these classes: a name, and what is asked for with its name.
NAME = "D?[CN]*N[CN]*(?:FD?N+)?"
# The capital of Chile; Chile's capital; capital Chile, Chile capital.
TARGETS = tuple(
    map(
        re.compile,
        (
            rf"(?P<relation>D?[CN]{{1,4}})[FP](?P<name>{NAME})$",
            r"(?P<name>D?N*S)(?P<relation>[CN]{1,3})$",
            r"^(?P<relation>C{1,3})(?P<name>N+)$",
            r"^(?P<name>N+)(?P<relation>C{1,3})$",
            r"(?P<name>D?N+)$",
        ),
    )
)


@dataclass(frozen=True, slots=True)
class Tagged:
    """A text with a letter for the class of each word.

    N is a name, S one that owns (`Chile's`), C an ordinary word, W a question word, V a form of `be`, R a request,
    D a determiner, F `of`, A `about`, P another preposition before a place, I a word for what was named, O any
    other function word; a point is a mark.
    """

    text: str
    tags: str
    spans: Sequence[tuple[int, int]]

    def part(self, match: re.Match[str], group: str) -> str:
        """The words that a group of a match of the tags stands for."""
        start, end = match.span(group)
        return self.text[self.spans[start][0] : self.spans[end - 1][1]] if end > start else ""

    def before(self, at: int) -> str:
        return self.text[: self.spans[at][0]]


def tagged(text: str, *, begins: bool = True) -> Tagged:
    """The classes of the words of a text; a capital letter tells nothing where a sentence begins with the text."""
    tags, spans = "", []
    writes_small = not any(word[0].isupper() for word in text.split()[1:])
    for match in _TOKEN.finditer(text):
        word = match["word"]
        tag = "." if word is None else _tag(word, first=begins and not tags, writes_small=writes_small)
        if match["owner"] and tag != "W":
            tag = "S"
        tags += tag
        spans.append(match.span())
        if match["owner"] and tag == "W":
            tags += "V"
            spans.append(match.span("owner"))
    return Tagged(text, tags, spans)


def _tag(word: str, *, first: bool, writes_small: bool) -> str:
    folded = word.lower()
    if folded in _CLASSES:
        return _CLASSES[folded]
    if folded in FUNCTION_WORDS or folded_word(word) in ASKING or not word[0].isalpha():
        return "O"
    if word[0].isupper() and not first:
        return "N"
    is_name = (writes_small or word[0].isupper()) and len(word) > 2 and not is_ordinary_word(folded)
    return "N" if is_name else "C"
