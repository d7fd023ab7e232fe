"""The fields of replies, whatever text models put around them, and the replies of DRAG: a change of queries, a side."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from answering.alignment import is_abstention
from answering.debates.quoting import sanitized
from answering.errors import UnreadableReply
from answering.readers.reply import parse_reply

MAX_CHARACTERS = 16_000
MAX_REASON_CHARACTERS = 1_000
_THOUGHT = re.compile(r"<think>.*?(?P<end></think>|\Z)", re.DOTALL | re.IGNORECASE)
# What patterns look for behind white space would else be looked for from every blank of a long one.
_LONG_SPACE = re.compile(r"\s{20,}")
_FENCE = re.compile(r"^\s*```[a-z]*\s*$", re.IGNORECASE | re.MULTILINE)
# Bounded, and one class instead of groups of marks within marks: no reply makes the patterns slow.
MARKS = r"[ \t#>*_\-•]{0,20}"
_REASON = "explanation|reasoning|reason|because|why"
# Words of a refusal that stand in no answer, with whatever words around them.
_REFUSAL = re.compile(
    r"\b(?:(?:does|do|did|is|are|was|were|can|could|has|have) ?n(?:o|')t|cannot|no)\b[\w\s,']{0,60}?"
    r"\b(?:mention|provide|state|specif|contain|include|say|give|answer|determin|found|find|information|indicat|enough"
    r"|available|know|clear)",
    re.IGNORECASE,
)
_MIN_REFUSAL_WORDS = 4
_BRACKETS = frozenset({"{}", "[]", "<>"})


def without_thoughts(reply: str) -> str:
    """The reply without `<think>` blocks and long white space; empty if it was cut off in one, or is too long."""
    if len(reply) > MAX_CHARACTERS or any(not thought["end"] for thought in _THOUGHT.finditer(reply)):
        return ""
    return _LONG_SPACE.sub(lambda space: "\n\n" if "\n" in space[0] else "  ", _THOUGHT.sub("", reply))


def unwrapped(reply: str) -> str:
    """The reply without thoughts (see `without_thoughts`) and without lines that open or close a code block."""
    return _FENCE.sub("", without_thoughts(reply)).strip()


def label(names: str, *, within: bool = False) -> re.Pattern[str]:
    """A pattern for `Name:` at the beginning of a line, with any Markdown around the name.

    `within` a line it may follow a sentence, a list or a quotation too.
    """
    begin = rf"(?:^{MARKS}|(?<=[.!?\]\"'])[ \t]+[*_]*)" if within else f"^{MARKS}"
    return re.compile(rf"{begin}(?:{names})[*_]*[ \t]*[:=][*_]*[ \t]*", re.IGNORECASE | re.MULTILINE)


_ANY_REASON = label(_REASON, within=True)


def split_reason(text: str) -> tuple[str, str]:
    """The text before the explanation, and the explanation on one line."""
    match = _ANY_REASON.search(text)
    if match is None:
        return text, ""
    return text[: match.start()], sanitized(text[match.end() :], MAX_REASON_CHARACTERS)


def short_answer(text: str) -> str | None:
    """The answer without its wrapping, None for a refusal. Raises `UnreadableReply`."""
    answer = parse_reply(_unbracketed(text))
    return None if answer is None or refuses(answer) else answer


def _unbracketed(text: str) -> str:
    """`1963` for `{1963}` and `<1963>`, as models write that copy the placeholder of a prompt."""
    line = text.strip().partition("\n")[0].strip().rstrip(".")
    return line[1:-1] if len(line) > 2 and line[0] + line[-1] in _BRACKETS else text


def refuses(answer: str) -> bool:
    """Whether the words say that there is no answer."""
    if is_abstention(answer):
        return True
    return len(answer.split()) >= _MIN_REFUSAL_WORDS and _REFUSAL.search(answer) is not None


def short_answers(texts: list[str]) -> list[str] | None:
    """The answers among the texts; None if one of them is too long to be an answer."""
    try:
        answers = [short_answer(text) for text in texts if text.strip()]
    except UnreadableReply:
        return None
    return [answer for answer in answers if answer is not None]


MAX_QUERY_CHARACTERS = 300
_REPLACE = label(
    r"(?:query[ \t]+)?(?:replace|optimi[sz]ation|optimi[sz]e)"
    r"(?:[ \t]+(?:query[ \t]*)?\[?(?P<number>\d{1,2})\]?)?",
    within=True,
)
_ADD = label(r"(?:query[ \t]+)?(?:add|expansion|expand)(?:[ \t]+query)?", within=True)
_ARROW = re.compile(r"\s*(?:->|→|=>)\s*")
_SIDE_PREFIX = r"(?:the\s+|agent\s+|side\s+|debater\s+)*"
_VERDICT = r"(?:(?:the\s+)?(?:final\s+)?(?:winner|verdict|winning\s+(?:side|agent)|answer|decision)\s*(?:is|:|=)?\s*)?"


@dataclass(frozen=True, slots=True)
class QueryChange:
    """A query, and the number, from 1, of the query of the pool that it replaces; None adds it."""

    query: str
    replaces: int | None


def parse_query_change(reply: str, queries: int, prompt: str = "") -> QueryChange | None:
    """One line `Replace 1: better query` or `Add: new query`, also in the paper's form; None for both.

    A replacement of a query that is not among the `queries` of the pool adds; of several lines of one kind the first
    counts. The line may follow the argument without a break. A query that stands in the prompt is none: small models
    copy its example.
    """
    text = unwrapped(reply)
    replacing, adding = _REPLACE.search(text), _ADD.search(text)
    match = replacing or adding
    if match is None or (replacing and adding):
        return None
    line = next(iter(text[match.end() :].splitlines()), "")
    query = sanitized(_ARROW.split(line)[-1].strip(" []\"'*`"), MAX_QUERY_CHARACTERS)
    if not re.search(r"\w", query) or query.casefold() in prompt.casefold():
        return None
    number = int(replacing["number"] or 1) if replacing else 0
    return QueryChange(query, number if 1 <= number <= queries else None)


def parse_verdict(reply: str, sides: Sequence[str]) -> str | None:
    """The side that the reply names and nothing but names: `Winner: challenger`, `The proponent agent.`

    A reply that names two sides, even within a word, is no verdict, nor is one that was cut off in a thought, nor a
    sentence about one side, which may speak against it.
    """
    named = [side for side in sides if side.casefold() in without_thoughts(reply).casefold()]
    if len(named) != 1:
        return None
    first = next(iter(re.sub(r"[*_`#\"'“”]", "", unwrapped(reply)).strip().splitlines()), "")
    verdict = rf"{_VERDICT}{_SIDE_PREFIX}{re.escape(named[0])}(?:\s+(?:agent|side|debater))?(?:\s+wins)?\s*[.!]?"
    return named[0] if re.fullmatch(verdict, first.strip(), re.IGNORECASE) else None
