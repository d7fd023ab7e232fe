"""What a model is told of where a document is from, and when: never the source's own words, which are data too."""

from collections.abc import Sequence

from answering.debates.protocol import SourceDocument

DATED = "Of what changes with time, a later publication tells a later state."
UNKNOWN = "reliability of its source unknown"


def reliability_label(reliability: float | None) -> str:
    """A reliability as a model understands it."""
    return UNKNOWN if reliability is None else f"its source is right {reliability:.0%} of the time"


def publication_labels(documents: Sequence[SourceDocument]) -> list[str]:
    """One label a document, empty where nobody knows when it was published."""
    return [f"published {one.published.isoformat()}" if one.published else "" for one in documents]


def publication_note(documents: Sequence[SourceDocument]) -> str:
    """What the dates mean, where several documents were published at different times."""
    return DATED if len({one.published for one in documents if one.published}) > 1 else ""


def reliability_labels(documents: Sequence[SourceDocument]) -> list[str]:
    """One label a document."""
    return [reliability_label(document.reliability) for document in documents]
