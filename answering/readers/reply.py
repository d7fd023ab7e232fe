"""The answer in a reply of a model, without what models wrap around it."""

import re

from answering.alignment import is_abstention
from answering.errors import UnreadableReply

MAX_REPLY_CHARACTERS = 4000
MAX_ANSWER_CHARACTERS = 500
_THOUGHT = re.compile(r"<think>.*?(</think>|\Z)", re.DOTALL | re.IGNORECASE)
# White space is looked at from its beginning only, not from every blank of it.
_FENCE = re.compile(r"^```[a-z]*\s*|(?<!\s)\s*```$", re.IGNORECASE)
_LABEL = re.compile(r"^[*_\s]*(the )?(final |short )?answer( is)?[*_\s]*[:\-][*_\s]*", re.IGNORECASE)
_QUOTES = frozenset("\"'`“”‘’«»*_")  # noqa: RUF001  (quotation marks as models set them)


def parse_reply(reply: str) -> str | None:
    """The answer in a reply, None for IDK. Raises `UnreadableReply` if it is empty or no short answer."""
    text = _FENCE.sub("", _THOUGHT.sub("", reply[: MAX_REPLY_CHARACTERS * 4]).strip()).strip()
    if not text:
        raise UnreadableReply("The model replied with nothing.")
    if len(text) > MAX_REPLY_CHARACTERS:
        raise UnreadableReply(f"The model replied with more than {MAX_REPLY_CHARACTERS} characters.")
    line = _LABEL.sub("", text.splitlines()[0])
    if len(line) > MAX_ANSWER_CHARACTERS:
        raise UnreadableReply(f"The model replied with a line of more than {MAX_ANSWER_CHARACTERS} characters.")
    answer = _unwrapped(line)
    return None if not answer or is_abstention(answer) else answer


def _unwrapped(text: str) -> str:
    """The text without pairs of quotation marks and the period of a sentence, in any order."""
    while True:
        text = text.strip()
        if text.endswith(".") and not _ends_in_abbreviation(text):
            text = text[:-1]
        elif len(text) > 1 and text[0] in _QUOTES and text[-1] in _QUOTES:
            text = text[1:-1]
        else:
            return text


def _ends_in_abbreviation(line: str) -> bool:
    """`J. R.` and `U.S.` keep their last period."""
    return re.search(r"(^|[\s.])\w\.$", line) is not None
