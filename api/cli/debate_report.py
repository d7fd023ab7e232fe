"""A debate for a person: while it runs, a line a turn; afterwards what came of it and who said what, shortened."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from answering.debates import Action, ReplyStatus
from api.cli.output import clean, plural
from registry.answers.progress import Progress
from registry.models.base import Json
from registry.results.answer import AnswerResult, Decider
from registry.results.debate import DebateView, TurnView

SAID_CHARACTERS = 160
ACTIONS = {
    Action.VOTE: "the vote stands",
    Action.SIDE_BY_SIDE: "all answers stand side by side",
    Action.DEBATE: "a debate was due",
    Action.ABSTAIN: "no answer holds",
}


def following(console: Console) -> Progress:
    """Prints the steps of an answer as they happen; nothing of an answer that is only a vote."""

    async def follow(kind: str, data: Json) -> None:
        if kind == "debate_began":
            documents = plural(data["documents"], "document")
            console.print(Text(f"Debate ({data['strategy']}) over {documents}:", style="dim"), soft_wrap=True)
        elif kind == "turn_ended":
            said = data["said"] if data["status"] == ReplyStatus.ANSWERED else data["status"].replace("_", " ")
            console.print(_line(data["round"], data["agent"], said), style="dim", soft_wrap=True)

    return follow


def print_debate(console: Console, result: AnswerResult) -> None:
    """What was decided how, the debate and its transcript; nothing where there was none."""
    if result.auto is not None:
        reasons = ", ".join(reason.replace("_", " ") for reason in result.auto.reasons)
        console.print(Text(f"Auto: {ACTIONS[result.auto.action]} ({reasons}).", style="dim"), soft_wrap=True)
    if result.vote is not None and result.decided_by is not Decider.VOTE:
        console.print(Text(f"The vote alone: {_vote(result)}.", style="dim"), soft_wrap=True)
    if result.debate is not None:
        _print(console, result.debate)


def _print(console: Console, debate: DebateView) -> None:
    names = {one.id: one.source for one in debate.documents}
    for one in debate.answers:
        where = ", ".join(f"{name} {clean(names[name])}" for name in one.documents) or "the model's memory"
        sure = "" if one.confidence is None else f", {one.confidence:.0%} sure"
        console.print(Text.assemble("  ", (clean(one.answer), "bold"), (f" from {where}{sure}", "dim")), soft_wrap=True)
    if debate.explanation:
        console.print(Text(f"“{_short(debate.explanation)}”", style="italic"), soft_wrap=True)
    console.print(Text(_summary(debate), style="dim"), soft_wrap=True)
    for turn in debate.transcript:
        console.print(_line(turn.round, turn.agent, _said(turn)), style="dim", soft_wrap=True)
    if debate.unsupported:
        left = "; ".join(map(_short, debate.unsupported))
        console.print(Text(f"Left out, as it stands in no document: {left}.", style="dim"), soft_wrap=True)


def _summary(debate: DebateView) -> str:
    usage = debate.usage
    tokens = usage.input_tokens + usage.output_tokens
    return (
        f"Debate ({debate.strategy}, {clean(debate.model)}) over {plural(len(debate.documents), 'document')}: "
        f"{plural(debate.rounds, 'round')}, ended {debate.stop_reason.replace('_', ' ')}; "
        f"{plural(usage.model_calls, 'model call')}, {tokens:,} tokens, {usage.milliseconds / 1000:.1f} s. Transcript:"
    )


def _said(turn: TurnView) -> str:
    if turn.status is ReplyStatus.ANSWERED:
        return turn.said
    return f"{turn.status.replace('_', ' ')}{f': {turn.error}' if turn.error else ''}"


def _line(number: int, agent: str, said: str) -> Text:
    return Text(f"  {number} {clean(agent)}: {_short(said)}")


def _vote(result: AnswerResult) -> str:
    vote = result.vote
    answers: Sequence[str] = vote.answers if vote else ()
    said = " / ".join(map(_short, answers)) or "no answer"
    return f"{said}, confidence {vote.confidence:.2f}" if vote and answers else said


def _short(text: str) -> str:
    flat = " ".join(clean(text).split())
    return flat if len(flat) <= SAID_CHARACTERS else flat[: SAID_CHARACTERS - 1] + "…"
