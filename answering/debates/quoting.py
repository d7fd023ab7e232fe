"""Text of others inside a prompt: documents and earlier replies stand between tags that their text cannot close.

Every quoted text is put on one line, so that no line of it can pose as a label, a question or a heading of the prompt.
Where a document is from is described in our words, never by the name of its source, which is text of others too.
"""

import re
from collections.abc import Sequence

from answering.debates.protocol import SourceDocument
from answering.models.chat import single_line

MAX_DOCUMENT_CHARACTERS = 6_000
MAX_REPLY_CHARACTERS = 600
MAX_QUESTION_CHARACTERS = 2_000
CUT = " [...]"
DATED = "Of what changes with time, a later publication tells a later state."
_TAG = re.compile(r"<(?=\s*/?\s*(?:document|reply|group|query|summary|argument)\b)", re.IGNORECASE)


def sanitized(text: str, max_characters: int) -> str:
    """The text on one line, cut to `max_characters`, with `<` replaced where it would open or close a tag."""
    line = _TAG.sub("(", single_line(text))
    return line if len(line) <= max_characters else line[: max_characters - len(CUT)] + CUT


def tagged(tag: str, label: str, text: str, max_characters: int = MAX_REPLY_CHARACTERS) -> str:
    """`<tag label>`, the sanitized text and `</tag>` on three lines; `tag` and `label` are not sanitized."""
    return f"<{tag} {label}>\n{sanitized(text, max_characters)}\n</{tag}>"


def document_blocks(documents: Sequence[SourceDocument], labels: Sequence[str] | None = None) -> str:
    """The documents in tags, numbered from 1, each with its date of publication and its label, if it has them."""
    labels = labels or [""] * len(documents)
    blocks = [
        tagged(
            "document",
            joined_labels(str(number), publication_label(document), label),
            document.text,
            MAX_DOCUMENT_CHARACTERS,
        )
        for number, (document, label) in enumerate(zip(documents, labels, strict=True), 1)
    ]
    return "\n".join(filter(None, (*blocks, publication_note(documents))))


def joined_labels(*labels: str) -> str:
    """The labels that are not empty, separated by commas."""
    return ", ".join(filter(None, labels))


def publication_label(document: SourceDocument) -> str:
    """The date of publication of the document; empty if unknown."""
    return f"published {document.published.isoformat()}" if document.published else ""


def publication_note(documents: Sequence[SourceDocument]) -> str:
    """The meaning of the dates, if the documents have different ones; else empty."""
    return DATED if len({document.published for document in documents if document.published}) > 1 else ""


def reliability_label(document: SourceDocument) -> str:
    if document.reliability is None:
        return "reliability of its source unknown"
    return f"its source is right {document.reliability:.0%} of the time"


def question_line(question: str) -> str:
    """The question as the line that follows all quoted text."""
    return f"Question: {sanitized(question, MAX_QUESTION_CHARACTERS)}"


def paragraphs(*parts: str) -> str:
    """The parts that are not empty, separated by blank lines."""
    return "\n\n".join(part for part in parts if part)
