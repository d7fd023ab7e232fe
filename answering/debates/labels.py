"""What a model is told of where a document is from: never the source's own words, which are data too."""

from collections.abc import Sequence

from answering.debates.port import Document

UNKNOWN = "reliability of its source unknown"


def reliability_label(reliability: float | None) -> str:
    """A reliability as a model understands it."""
    return UNKNOWN if reliability is None else f"its source is right {reliability:.0%} of the time"


def reliability_labels(documents: Sequence[Document]) -> list[str]:
    """One label a document."""
    return [reliability_label(document.reliability) for document in documents]
