"""`credence answers`: questions asked before, and their answers."""

from typing import Annotated
from uuid import UUID

import typer
from rich.text import Text

from api.cli.environment import Environment
from api.cli.options import LimitOption, command, list_command
from api.cli.output import cell, moment, print_json, say
from api.cli.parameter_options import parameter_options
from api.cli.reports.answer import print_answer
from api.client.nouns import answers
from api.http.schemas.answers import AnswerSummary
from registry.answers.schemas import ShareInput

app = typer.Typer(add_completion=False)

DEFAULT_LIMIT = 20
AnswerArgument = Annotated[UUID, typer.Argument(help="The answer's id, from the list.")]


@list_command(app)
def list_answers(env: Environment, limit: LimitOption = DEFAULT_LIMIT) -> None:
    """List the newest answers, the latest last."""
    env.show_list(
        env.newest(answers.list_answers(), limit),
        {
            "asked": "created_at",
            "question": lambda record: Text.assemble(cell(record.question), "\n", (str(record.id), "dim")),
            "answer": _answer,
        },
        if_empty="Nothing was asked yet: `credence ask QUESTION`.",
    )


@command(app)
def show(env: Environment, answer_id: AnswerArgument) -> None:
    """Show an answer."""
    record = env.send(answers.get_answer(answer_id))
    if env.as_json:
        print_json(record)
        return
    say(env.out, record.question, style="bold")
    if record.result is not None:
        print_answer(env.out, record.result)
    else:
        why = record.problem.detail if record.problem else ""
        say(env.out, f"{record.status}. {why}")


@command(app)
@parameter_options(ShareInput)
def share(env: Environment, answer_id: AnswerArgument, values: ShareInput) -> None:
    """Make a link that shows an answer to people without a key."""
    made = env.send(answers.share_answer(answer_id, values))
    until = f"until {moment(made.expires_at)}, or until `credence answers revoke {made.id}`"
    env.print_result(made, f"At the address of the service, {until}: {made.path}")


@command(app)
def shares(env: Environment, limit: LimitOption = 0) -> None:
    """List the links that show answers."""
    env.show_list(
        env.newest(answers.list_shares(), limit),
        {"id": "id", "answer": "answer_id", "who": "created_by", "made": "created_at", "ends": "expires_at"},
        if_empty="No answer is shared: `credence answers share ID`.",
    )


@command(app, json=False)
def revoke(env: Environment, share_id: Annotated[UUID, typer.Argument(help="The link's id, from the list.")]) -> None:
    """End a link that shows an answer."""
    env.send(answers.revoke_share(share_id))
    env.print_note("Revoked.")


def _answer(record: AnswerSummary) -> Text:
    return cell(" / ".join(record.answers)) if record.answers else cell(record.outcome or record.status, "dim")
