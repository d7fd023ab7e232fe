"""Messages to models: passages as data that cannot pass for instructions, the question after them."""

import re
from collections.abc import Sequence
from operator import add

# Our tags, and the control tokens of chat templates, which some servers obey inside of data.
_MARKUP = re.compile(r"<(?=\s*/?\s*passage|\|)", re.IGNORECASE)
OPEN, CLOSE = "<passage>", "</passage>"


def user_message(question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> str:
    """The passages, each in tags that its text cannot close, below its context where these are given; the question."""
    above = [f"Below the title: {single_line(context)}\n" if context else "" for context in contexts]
    tagged = map(tagged_passage, passages)
    blocks = "\n".join(map(add, above or [""] * len(passages), tagged))
    return f"{blocks}\n\nQuestion: {single_line(question)}\nAnswer:"


def tagged_passage(text: str) -> str:
    """A text in passage tags, on lines of its own."""
    return f"{OPEN}\n{escape_markup(text)}\n{CLOSE}"


def escape_markup(text: str) -> str:
    """The text as valid Unicode, with a round bracket where an angle bracket would open or close our markup."""
    return _MARKUP.sub("(", text.encode("utf-8", "replace").decode("utf-8"))


def single_line(text: str) -> str:
    """The escaped text on one line: single spaces and no control characters."""
    printable = "".join(character if character.isprintable() else " " for character in escape_markup(text))
    return " ".join(printable.split())
