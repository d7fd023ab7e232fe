"""`credence joins`: wordings of answers that count as one."""

from typing import Annotated
from uuid import UUID

import typer

from api.cli.environment import Environment, parse_input
from api.cli.options import LimitOption, command, list_command
from api.cli.output import cell, moment, table
from api.client.nouns import queries
from api.text import clean
from registry.queries.schemas import JoinInput

app = typer.Typer(add_completion=False)


@list_command(app)
def list_joins(env: Environment, limit: LimitOption = 0) -> None:
    """List the wordings that are joined."""
    with env.service() as service:
        listed = service.newest(queries.list_joins(corpus=env.corpus), limit)
    rows = table("id", "question", "one answer", "who", "when", fixed=("id", "when"))
    for join in listed:
        answers = " = ".join(join.answers)
        rows.add_row(str(join.id), cell(join.question), cell(answers), cell(join.created_by), moment(join.created_at))
    env.show_list(listed, rows, if_empty="No wordings are joined: `credence joins add`.")


@command(app)
def add(
    env: Environment,
    question: Annotated[str, typer.Argument(help="The question.")],
    answers: Annotated[list[str], typer.Argument(metavar="ANSWER...", help="Wordings that are one answer to it.")],
) -> None:
    """Join wordings of an answer to a question."""
    values = parse_input(JoinInput, question=question, answers=answers)
    with env.service() as service:
        join = service.send(queries.join_answers(values, corpus=env.corpus))
    env.print_result(join, f"One answer: {clean(' = '.join(join.answers))}. Undo: `credence joins undo {join.id}`.")


@command(app, json=False)
def undo(env: Environment, join: Annotated[UUID, typer.Argument(help="Its id, from the list.")]) -> None:
    """Let joined wordings be different answers again."""
    with env.service() as service:
        service.send(queries.undo_join(join, corpus=env.corpus))
    env.print_note("Undone.")
