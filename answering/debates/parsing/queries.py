"""What a challenger wants searched for (DRAG): a better query for one of the pool, or one more."""

import re
from dataclasses import dataclass

from answering.debates.parsing.replies import label, unwrapped
from answering.debates.quoting import sanitized

MAX_QUERY_CHARACTERS = 300
_REPLACE = label(
    r"(?:query[ \t]+)?(?:replace|optimi[sz]ation|optimi[sz]e)"
    r"(?:[ \t]+(?:query[ \t]*)?\[?(?P<number>\d{1,2})\]?)?",
    within=True,
)
_ADD = label(r"(?:query[ \t]+)?(?:add|expansion|expand)(?:[ \t]+query)?", within=True)
_ARROW = re.compile(r"\s*(?:->|→|=>)\s*")


@dataclass(frozen=True, slots=True)
class QueryChange:
    """`replaces` is the number of a query of the pool, from 1; None adds the query."""

    query: str
    replaces: int | None
    argument: str


def parse_query_change(reply: str, queries: int, shown: str = "") -> QueryChange | None:
    """One line `Replace 1: better query` or `Add: new query`, also in the paper's form; both are none.

    A replacement of a query that is not in the pool adds; of several lines of one kind the first counts. The line may
    follow the argument without a break. What stands in the prompt, `shown`, is no query: small models copy its example.
    """
    text = unwrapped(reply)
    replacing, adding = _REPLACE.search(text), _ADD.search(text)
    found = replacing or adding
    if found is None or (replacing and adding):
        return None
    line = text[found.end() :].splitlines()[0] if text[found.end() :].strip() else ""
    query = sanitized(_ARROW.split(line)[-1].strip(" []\"'*`"), MAX_QUERY_CHARACTERS)
    if not re.search(r"\w", query) or query.casefold() in shown.casefold():
        return None
    return QueryChange(query, _place(replacing, queries), sanitized(text[: found.start()], MAX_QUERY_CHARACTERS * 2))


def _place(replacing: re.Match[str] | None, queries: int) -> int | None:
    if replacing is None:
        return None
    number = int(replacing["number"] or 1)
    return number if 1 <= number <= queries else None
