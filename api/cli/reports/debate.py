"""A debate for a person: one line a turn while it runs; afterwards its answers and a shortened transcript."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from answering.debates.schema import Action, ReplyStatus
from api.cli.output import say
from api.text import plural, shorten
from registry.answers.debate_schemas import DebateView, TurnView
from registry.answers.result_schemas import AnswerResult, Decider

TURN_CHARACTERS = 160
ACTIONS = {
    Action.VOTE: "the vote decides",
    Action.SIDE_BY_SIDE: "the likely answers side by side",
    Action.DEBATE: "a debate",
    Action.ABSTAIN: "no answer is safe",
}


def print_step(console: Console, kind: str, data: Mapping[str, Any]) -> None:
    """Print the turn of a debate; an answer that is only a vote has none."""
    if kind == "debate_began":
        documents = plural(data["documents"], "document")
        say(console, f"Debate ({data['strategy']}) over {documents}:", style="dim")
    elif kind == "turn_ended":
        text = data["said"] if data["status"] == ReplyStatus.ANSWERED else data["status"].replace("_", " ")
        say(console, _turn_line(data["round"], data["agent"], text), style="dim")


def print_debate(console: Console, result: AnswerResult) -> None:
    """The decision of `auto`, the vote that a debate overruled, and the debate, as far as the answer has them."""
    if result.auto is not None:
        reasons = ", ".join(reason.replace("_", " ") for reason in result.auto.reasons)
        say(console, f"Auto: {ACTIONS[result.auto.action]} ({reasons}).", style="dim")
    if result.vote is not None and result.decided_by is not Decider.VOTE:
        alone = " / ".join(map(_short, result.vote.answers))
        sure = f"{alone}, confidence {result.vote.confidence:.2f}" if alone else "no answer"
        say(console, f"The vote alone: {sure}.", style="dim")
    if result.debate is not None:
        _print(console, result.debate)


def _print(console: Console, debate: DebateView) -> None:
    source_of = {document.id: document.source for document in debate.documents}
    for answer in debate.answers:
        origin = ", ".join(f"{name} {source_of[name]}" for name in answer.documents) or "the model's memory"
        confidence = "" if answer.confidence is None else f", {answer.confidence:.0%} sure"
        say(console, "  ", (answer.answer, "bold"), (f" from {origin}{confidence}", "dim"))
    if debate.explanation:
        say(console, f"“{_short(debate.explanation)}”", style="italic")
    say(console, _summary(debate), style="dim")
    for turn in debate.transcript:
        say(console, _turn_line(turn.round, turn.agent, _text(turn)), style="dim")
    if debate.unsupported:
        omitted = "; ".join(map(_short, debate.unsupported))
        say(console, f"Left out, because no document contains it: {omitted}.", style="dim")


def _summary(debate: DebateView) -> str:
    usage = debate.usage
    tokens = usage.input_tokens + usage.output_tokens
    return (
        f"Debate ({debate.strategy}, {debate.model}) over {plural(len(debate.documents), 'document')}: "
        f"{plural(debate.rounds, 'round')}, ended {debate.stop_reason.replace('_', ' ')}; "
        f"{plural(usage.model_calls, 'model call')}, {tokens:,} tokens, {usage.milliseconds / 1000:.1f} s. Transcript:"
    )


def _text(turn: TurnView) -> str:
    if turn.status is ReplyStatus.ANSWERED:
        return turn.said
    return f"{turn.status.replace('_', ' ')}{f': {turn.error}' if turn.error else ''}"


def _turn_line(number: int, agent: str, text: str) -> str:
    return f"  {number} {agent}: {_short(text)}"


def _short(text: str) -> str:
    return shorten(text, TURN_CHARACTERS)
