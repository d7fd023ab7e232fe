"""What a model is sent: the prompt first, so that servers can keep it in their prefix cache, then data."""

import re
from collections.abc import Sequence

_TAG = re.compile(r"<(?=\s*/?\s*passage)", re.IGNORECASE)
OPEN, CLOSE = "<passage>", "</passage>"


def user_message(question: str, passages: Sequence[str]) -> str:
    """Passages between tags that no passage can close, and the question after them."""
    blocks = "\n".join(f"{OPEN}\n{defused(passage)}\n{CLOSE}" for passage in passages)
    return f"{blocks}\n\nQuestion: {defused(question)}\nAnswer:"


def defused(text: str) -> str:
    """The text with round brackets where an angle bracket would open or close a tag of ours."""
    return _TAG.sub("(", text)
