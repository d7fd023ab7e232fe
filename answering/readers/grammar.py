"""Grammars (GBNF, as llama.cpp reads them) that constrain a model to a choice of spans."""

from collections.abc import Iterable, Mapping
from itertools import takewhile

END = "\n"


def choices(spans: Iterable[str]) -> dict[str, str]:
    """For each span the shortest text that tells it from the others, up to the end of a word: text -> span.

    A model that wrote this text has chosen, and need not write the rest. A span that begins another one ends with a
    line feed.
    """
    ordered = sorted(set(spans))
    neighbours = zip(["", *ordered], ordered, [*ordered[1:], ""], strict=False)
    return {_distinct(span, before, after): span for before, span, after in neighbours}


def grammar(texts: Iterable[str]) -> str:
    """A grammar that accepts a space and one of the texts."""
    return "root ::= " + " | ".join(f'" {_escaped(text)}"' for text in texts)


def chosen(reply: str, spans: Mapping[str, str]) -> str | None:
    """The span that a reply stands for, None for a reply that the grammar does not accept."""
    text = reply.removeprefix(" ")
    return spans.get(text, spans.get(text + END))


def _distinct(span: str, *neighbours: str) -> str:
    shared = max(_common(span, other) for other in neighbours)
    if shared == len(span):
        return span + END
    return span[: _word_end(span, shared + 1)]


def _common(first: str, second: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def _word_end(text: str, start: int) -> int:
    """A token often spans a word, so that half a word would force rare tokens on the model; digits are tokens alone."""
    if text[start - 1].isdigit():
        return start
    return next((index for index in range(start, len(text)) if text[index].isspace()), len(text))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
