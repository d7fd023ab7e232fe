"""Grammars (GBNF, as llama.cpp reads them) that leave a model the choice among some spans."""

from collections.abc import Iterable, Mapping
from itertools import takewhile

END = "\n"


def choices(spans: Iterable[str]) -> dict[str, str]:
    """For every span the shortest text that tells it from the others, up to the end of a word: text -> span.

    A model that has written that much has chosen, and writes no token more. A span that begins another one ends
    with a line feed.
    """
    ordered = sorted(set(spans))
    neighbours = zip(["", *ordered], ordered, [*ordered[1:], ""], strict=False)
    return {_distinct(span, before, after): span for before, span, after in neighbours}


def grammar(texts: Iterable[str]) -> str:
    """Accepts one of the texts, after a space, and nothing behind it."""
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


def _common(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _word_end(text: str, start: int) -> int:
    """A token often spans a word, so that half a word would force the model into odd tokens; digits stand alone."""
    if text[start - 1].isdigit():
        return start
    return next((at for at in range(start, len(text)) if text[at].isspace()), len(text))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
