"""What a reader of a debate should know before trusting it."""

from collections.abc import Iterator

from answering.debates import DebateResult, ReplyStatus, StopReason
from answering.models.usage import Budget
from registry.answers.debate import Debated
from registry.store.readings import storable

REMEMBERED = "No document of a source supports an answer: it is what the language model remembers."


def debate_notes(debated: Debated) -> tuple[str, ...]:
    """In the order of their weight."""
    return (*_limits(debated), *_losses(debated.result))


def _limits(debated: Debated) -> Iterator[str]:
    if debated.left_out:
        yield f"The debate left out {debated.left_out} documents beyond the first ones (max_documents)."
    if debated.result.stop_reason is StopReason.OUT_OF_BUDGET:
        yield f"The debate was cut off by its budget: {spent_on(debated.result, debated.budget)}. It is a partial one."


def _losses(result: DebateResult) -> Iterator[str]:
    turns = len(result.transcript)
    failed = [turn for turn in result.transcript if turn.status is ReplyStatus.FAILED]
    if failed:
        why = storable(failed[0].error or "no reason was given")
        yield f"{len(failed)} of {turns} turns of the debate got no reply: {why}"
    unreadable = sum(turn.status is ReplyStatus.UNREADABLE for turn in result.transcript)
    if unreadable:
        yield f"{unreadable} of {turns} replies could not be read; they count as abstentions."
    if any(not one.documents for one in result.answers):
        yield REMEMBERED


def spent_on(result: DebateResult, budget: Budget) -> str:
    """Which limits of the budget were reached, and how they are called."""
    tokens = result.usage.input_tokens + result.usage.output_tokens
    reached = {
        "model calls (max_model_calls)": budget.calls is not None and result.usage.model_calls >= budget.calls,
        "tokens (max_tokens)": budget.tokens is not None and tokens >= budget.tokens,
        "seconds (max_seconds)": budget.seconds is not None and result.seconds >= budget.seconds,
    }
    return ", ".join(name for name, hit in reached.items() if hit) or "what its API key had left"
