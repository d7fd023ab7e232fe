"""`credence misreadings`: readings that look misread."""

from typing import Annotated
from uuid import UUID

import typer

from api.cli.connection import PAGE_ROWS
from api.cli.environment import Environment
from api.cli.options import command, list_command
from api.client.nouns import sources
from api.http.schemas.misreadings import VerdictInput
from registry.platform.enums import Verdict

ReadingArgument = Annotated[UUID, typer.Argument(metavar="READING", help="The identifier that the list shows.")]


@list_command("misreadings")
def list_misreadings(
    env: Environment,
    everything: Annotated[bool, typer.Option("--all", help="Also those with a verdict.")] = False,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=PAGE_ROWS, help="Most readings to show.", metavar="N")
    ] = 50,
) -> None:
    """List suspected misreadings of the current estimation, the most suspect first."""
    env.show_list(
        env.send(sources.list_misreadings(open=not everything, limit=limit)).items,
        {
            "reading": "id",
            "source": "source_name",
            "question": "question",
            "read": "answer",
            "in": "quote",
            "misread": "probability",
            "": lambda view: view.verdict.verdict if view.verdict else "",
        },
        if_empty="No reading looks misread.",
    )


@command("misreadings")
def confirm(env: Environment, reading: ReadingArgument) -> None:
    """Confirm a misreading. The reading never votes again."""
    _judge(env, reading, Verdict.CONFIRMED)


@command("misreadings")
def reject(env: Environment, reading: ReadingArgument) -> None:
    """Reject the suspicion. The reading counts as correct, and an error as one of its source."""
    _judge(env, reading, Verdict.REJECTED)


@command("misreadings", json=False)
def withdraw(env: Environment, reading: ReadingArgument) -> None:
    """Withdraw a verdict."""
    env.send(sources.withdraw_verdict(reading))
    env.print_note(f"Withdrawn for {reading}.")


def _judge(env: Environment, reading: UUID, verdict: Verdict) -> None:
    judged = env.send(sources.judge_misreading(reading, VerdictInput(verdict=verdict)))
    line = f"{verdict.capitalize()}: “{judged.answer}” to “{judged.question}”. It counts from the next estimation on."
    env.print_result(judged, line)
