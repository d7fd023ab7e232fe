"""The steps of an answer for a person who waits for it."""

from answering.debates.schema import ReplyStatus
from registry.platform.database.base import Json


def step_text(kind: str, data: Json) -> str | None:
    """The step in words, turn by turn in a debate; None for what there is nothing to say of."""
    if kind == "debate_began":
        return f"Debate ({data['strategy']}) over {data['documents']} documents"
    if kind == "turn_ended":
        text = data["said"] if data["status"] == ReplyStatus.ANSWERED else data["status"].replace("_", " ")
        return f"Round {data['round']}, {data['agent']}: {text}"
    return None
