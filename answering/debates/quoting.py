"""What a chat model is shown: documents and the words of others between tags that nothing inside can close.

Everything that is not ours stands on one line, so that no line of it can pose as a label, a question or a heading.
"""

import re
from collections.abc import Sequence

from answering.debates.labels import publication_labels, publication_note
from answering.debates.protocol import SourceDocument
from answering.models.messages import single_line

REMINDER = "Your last reply could not be read. Reply in exactly the form that was asked for, and nothing else."
MAX_DOCUMENT_CHARACTERS = 6_000
MAX_REPLY_CHARACTERS = 600
MAX_QUESTION_CHARACTERS = 2_000
CUT = " [...]"
_TAG = re.compile(r"<(?=\s*/?\s*(?:document|reply|group|query|summary|argument)\b)", re.IGNORECASE)


def tagged(tag: str, label: str, text: str, most: int = MAX_REPLY_CHARACTERS) -> str:
    """`<tag label>text</tag>` on three lines, the text on one; `label` and `tag` are ours."""
    return f"<{tag} {label}>\n{sanitized(text, most)}\n</{tag}>"


def sanitized(text: str, most: int) -> str:
    """At most so many characters of the text, on one line, unable to open or close a tag."""
    line = _TAG.sub("(", single_line(text))
    return line if len(line) <= most else line[: most - len(CUT)] + CUT


def document_blocks(documents: Sequence[SourceDocument], labels: Sequence[str] | None = None) -> str:
    """The documents, numbered from 1, with their dates where they are known; a label of ours may follow.

    Where they were published at different times, a last line says what the dates mean.
    """
    marks = zip(publication_labels(documents), labels or [""] * len(documents), strict=True)
    blocks = [
        tagged("document", ", ".join(filter(None, (str(number), *mark))), document.text, MAX_DOCUMENT_CHARACTERS)
        for number, (document, mark) in enumerate(zip(documents, marks, strict=True), 1)
    ]
    return "\n".join(filter(None, (*blocks, publication_note(documents))))


def question_line(question: str) -> str:
    """The question, which comes after everything else."""
    return f"Question: {sanitized(question, MAX_QUESTION_CHARACTERS)}"


def paragraphs(*parts: str) -> str:
    """The parts that are not empty, a blank line between them."""
    return "\n\n".join(part for part in parts if part)
