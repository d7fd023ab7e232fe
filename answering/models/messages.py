"""Messages to models: passages as data that cannot pass for instructions, the question after them."""

import re
from collections.abc import Sequence
from operator import add

from answering.text import compose

# Our tags, and the shapes of control tokens of chat templates, which some servers obey inside of data: <|im_end|>,
# </s>, <<SYS>>, <start_of_turn>, <unused0>, <seed:bos>, [INST], [CALL_ID], ]~b]. Most HTML has none of these shapes.
_MARKUP = re.compile(
    r"""<(?=\s*/?\s*passage | [|<] | /?[^\s<>]{0,40}?[^\sA-Za-z<>/-][^\s<>]{0,40}\s?>
        | /?(?:s|bos|eos|eod|eot|sop|eop|pad|unk|mask|sep|cls|think|thinking|answer|end|endoftext|reponame|filename
            |system|user|human|assistant|bot|model|context|tool|image|audio|video)\s?>)
    | \[(?=/?(?:(?-i:[A-Z]{2,}(?:_[A-Z]+)*) | INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_\w+|PREFIX|MIDDLE|SUFFIX
        |IMG\w*|gMASK)\] | e~\[)
    | \](?=~)""",
    re.IGNORECASE | re.VERBOSE,
)
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
    """The text in composed Unicode without format characters, so that no markup hides in other forms of its letters,
    with a round bracket where another would open or close our tags or be a control token of a chat template.
    """
    lines = text.encode("utf-8", "replace").decode("utf-8").splitlines()
    return _MARKUP.sub("(", "\n".join(map(compose, lines)))


def single_line(text: str) -> str:
    """The escaped text on one line: single spaces and no control characters."""
    printable = "".join(character if character.isprintable() else " " for character in escape_markup(text))
    return " ".join(printable.split())
