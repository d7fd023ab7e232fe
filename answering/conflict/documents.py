"""What claims are held against: documents, each in the parts that a judge is shown."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """A piece of text, the character (code point) that it begins at, and the text that it was cut from."""

    text: str
    start: int = 0
    origin: str = ""


@dataclass(frozen=True, slots=True)
class GroundingDocument:
    """A document, which is on one side of a claim or on none, however many parts it has.

    It may hold all that one source published: a source that says a thing three times still says it once. `key` tells
    it from others. `reliability` is that of its source, in [0, 1], None where nobody knows it.
    """

    key: str
    parts: tuple[DocumentPart, ...]
    source: str = ""
    reliability: float | None = None

    @classmethod
    def whole(cls, key: str, text: str, *, source: str = "", reliability: float | None = None) -> "GroundingDocument":
        """A document that is short enough to be judged in one part."""
        return cls(key, (DocumentPart(text, 0, key),), source, reliability)
