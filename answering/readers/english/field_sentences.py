"""Lines of fact sheets as the sentences that they stand for, as a reader was trained on sentences. English."""

import re
from dataclasses import dataclass

# Area of Malta: total: 316 sq km. Not prose, nor values with other labels, which tell more than a sentence would.
_LINE = re.compile(
    r"^(?P<field>[A-Z][a-z]+(?: [a-z]+){0,2})(?P<of> of (?:the )?[A-Z][\w' -]{1,60}): (?:(?:total|name) ?: )?"
    r"(?![a-z ]{1,40} ?: )(?![^\n]*[.!?] [A-Z])(?P<value>[^\n]{1,300})$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class RewrittenText:
    """A text with other words for some characters of another one."""

    text: str
    origins: tuple[int, ...]
    """For each character, and behind the last, the place in the other text that it stands for."""

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The characters of the other text that [start, end) stands for."""
        return self.origins[start], self.origins[end]


def field_sentences(text: str) -> RewrittenText | None:
    """The text with its lines of the form `Field of Name: value` as sentences; None if it has none.

    >>> rewritten = field_sentences("Area of Malta: total: 316 sq km; land: 316 sq km")
    >>> rewritten.text, rewritten.original(21, 30)
    ('The area of Malta is 316 sq km; land: 316 sq km.', (22, 31))
    """
    parts: list[str] = []
    origins: list[int] = []
    copied = 0

    def add(words: str, start: int, *, copies: bool) -> None:
        parts.append(words)
        origins.extend(range(start, start + len(words)) if copies else [start] * len(words))

    for line in _LINE.finditer(text):
        field, name, value = line["field"], line["of"], line["value"]
        add(text[copied : line.start()], copied, copies=True)
        add("The ", line.start(), copies=False)
        add(field[0].lower() + field[1:] + name, line.start(), copies=True)
        add(" are " if field.endswith("s") else " is ", line.end("of"), copies=False)
        add(value, line.start("value"), copies=True)
        add("" if value.endswith((".", "!", "?")) else ".", line.end(), copies=False)
        copied = line.end()
    if not parts:
        return None
    add(text[copied:], copied, copies=True)
    return RewrittenText("".join(parts), (*origins, len(text)))
