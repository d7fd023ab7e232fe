"""What claims are held against: documents, each in the parts that a judge is shown."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a document, and the character (code point) of the document that it begins at."""

    text: str
    start: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """A document, which is on one side of a claim or on none, however many parts it has.

    `key` tells it from others. `reliability` is that of its source, in [0, 1], None where nobody knows it.
    """

    key: str
    parts: tuple[Part, ...]
    source: str = ""
    reliability: float | None = None

    @classmethod
    def whole(cls, key: str, text: str, *, source: str = "", reliability: float | None = None) -> "Document":
        """A document that is short enough to be judged in one part."""
        return cls(key, (Part(text),), source, reliability)
