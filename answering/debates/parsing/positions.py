"""What one agent says: an answer, or that it has none, and why."""

from dataclasses import dataclass

from answering.debates.parsing.replies import label, short_answer, split_reason, unwrapped
from answering.errors import UnreadableReply

MAX_UNLABELLED_CHARACTERS = 100
_ANSWER = label("(?:the |my |final |short |exact )*answer")


@dataclass(frozen=True, slots=True)
class AgentAnswer:
    """`answer` is None where the agent says that it has none."""

    answer: str | None
    reason: str = ""


def parse_agent_answer(reply: str) -> AgentAnswer | None:
    """The first line `Answer: ...` and what follows as `Because: ...`; of a reply that is one short line, the line."""
    before, reason = split_reason(unwrapped(reply))
    found = _ANSWER.search(before)
    text = before[found.end() :] if found else before.strip()
    if found is None and (not text or "\n" in text or len(text) > MAX_UNLABELLED_CHARACTERS):
        return None
    try:
        return AgentAnswer(short_answer(text), reason)
    except UnreadableReply:
        return None
