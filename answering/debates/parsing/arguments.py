"""Replies of DRAG: the change that a challenger wants of the query pool, and the side that a judge names."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from answering.debates.parsing.replies import label, unwrapped, without_thoughts
from answering.debates.quoting import sanitized

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
