"""Which side a judge names: strictly one."""

import re
from collections.abc import Sequence

from answering.debates.parsing.replies import unwrapped, without_thoughts

_AROUND = r"(?:the\s+|agent\s+|side\s+|debater\s+)*"
_LABEL = r"(?:(?:the\s+)?(?:final\s+)?(?:winner|verdict|winning\s+(?:side|agent)|answer|decision)\s*(?:is|:|=)?\s*)?"


def parse_verdict(reply: str, sides: Sequence[str]) -> str | None:
    """The side that the reply names and nothing but names: `Winner: challenger`, `The proponent agent.`

    A reply that names two sides, even within a word, is no verdict, nor is one that was cut off in a thought, nor a
    sentence about one side, which may speak against it.
    """
    named = [side for side in sides if side.casefold() in without_thoughts(reply).casefold()]
    if len(named) != 1:
        return None
    first = next(iter(re.sub(r"[*_`#\"'“”]", "", unwrapped(reply)).strip().splitlines()), "")
    exact = rf"{_LABEL}{_AROUND}{re.escape(named[0])}(?:\s+(?:agent|side|debater))?(?:\s+wins)?\s*[.!]?"
    return named[0] if re.fullmatch(exact, first.strip(), re.IGNORECASE) else None
