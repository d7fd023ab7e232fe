"""`credence answers`: questions asked before, and their answers."""

from typing import Annotated
from uuid import UUID

import typer
from rich.text import Text

from api.cli.environment import Environment, parse_input
from api.cli.options import LimitOption, command, list_command
from api.cli.output import cell, moment, print_json, table
from api.cli.reports.answer import print_answer
from api.client.nouns import answers
from api.http.schemas.answers import AnswerSummary
from api.text import clean
from registry.answers.schemas import ShareInput

app = typer.Typer(add_completion=False)

DEFAULT_LIMIT = 20


@list_command(app)
def list_answers(
    env: Environment,
    limit: LimitOption = DEFAULT_LIMIT,
) -> None:
    """List the newest answers, the latest last."""
    with env.service() as service:
        records = service.newest(answers.list_answers(corpus=env.corpus), limit)
    rows = table("asked", "question", "answer", fixed=("asked",))
    for record in records:
        question = Text.assemble(cell(record.question), "\n", (str(record.id), "dim"))
        rows.add_row(moment(record.created_at), question, _answer(record))
    env.show_list(records, rows, if_empty="Nothing was asked yet: `credence ask QUESTION`.")


@command(app)
def show(
    env: Environment,
    answer_id: Annotated[UUID, typer.Argument(help="The answer's id, from the list.")],
) -> None:
    """Show an answer."""
    record = env.send(answers.get_answer(answer_id, corpus=env.corpus))
    if env.as_json:
        print_json(record)
        return
    env.out.print(Text(clean(record.question), style="bold"), soft_wrap=True)
    if record.result is not None:
        print_answer(env.out, record.result)
    else:
        why = record.problem.detail if record.problem else ""
        env.out.print(Text(f"{record.status}. {clean(why)}"), soft_wrap=True)


@command(app)
def share(
    env: Environment,
    answer_id: Annotated[UUID, typer.Argument(help="The answer's id, from the list.")],
    days: Annotated[int, typer.Option("--days", help="Days until the link ends.")] = 30,
) -> None:
    """Make a link that shows an answer to people without a key."""
    made = env.send(answers.share_answer(answer_id, parse_input(ShareInput, days=days), corpus=env.corpus))
    until = f"until {moment(made.expires_at)}, or until `credence answers revoke {made.id}`"
    env.print_result(made, f"At the address of the service, {until}: {made.path}")


@command(app)
def shares(env: Environment, limit: LimitOption = 0) -> None:
    """List the links that show answers."""
    with env.service() as service:
        links = service.newest(answers.list_shares(corpus=env.corpus), limit)
    rows = table("id", "answer", "who", "made", "ends", fixed=("id", "answer", "made", "ends"))
    for link in links:
        made, ends = moment(link.created_at), moment(link.expires_at)
        rows.add_row(str(link.id), str(link.answer_id), cell(link.created_by), made, ends)
    env.show_list(links, rows, if_empty="No answer is shared: `credence answers share ID`.")


@command(app, json=False)
def revoke(env: Environment, share_id: Annotated[UUID, typer.Argument(help="The link's id, from the list.")]) -> None:
    """End a link that shows an answer."""
    env.send(answers.revoke_share(share_id, corpus=env.corpus))
    env.print_note("Revoked.")


def _answer(record: AnswerSummary) -> Text:
    return cell(" / ".join(record.answers)) if record.answers else cell(record.outcome or record.status, "dim")
