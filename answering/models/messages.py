"""What a model is sent: the prompt first, so that servers can keep it in their prefix cache, then data."""

import re
from collections.abc import Sequence

# Tags of ours, and the control tokens of chat templates, which some servers take at their word inside data.
_MARKUP = re.compile(r"<(?=\s*/?\s*passage|\|)", re.IGNORECASE)
OPEN, CLOSE = "<passage>", "</passage>"


def user_message(question: str, passages: Sequence[str]) -> str:
    """Passages between tags that no passage can close, and the question after them."""
    blocks = "\n".join(f"{OPEN}\n{escape_markup(passage)}\n{CLOSE}" for passage in passages)
    return f"{blocks}\n\nQuestion: {single_line(question)}\nAnswer:"


def escape_markup(text: str) -> str:
    """The text with round brackets where an angle bracket would open or close markup, and valid Unicode."""
    return _MARKUP.sub("(", text.encode("utf-8", "replace").decode("utf-8"))


def single_line(text: str) -> str:
    """Defused text that cannot begin a line of its own: single spaces, no control characters."""
    printable = "".join(character if character.isprintable() else " " for character in escape_markup(text))
    return " ".join(printable.split())
