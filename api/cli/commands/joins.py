"""`credence joins`: wordings that are one answer."""

from typing import Annotated
from uuid import UUID

import typer

from api.cli.environment import Environment
from api.cli.options import LimitOption, command, list_command
from api.cli.parameter_options import parameter_options
from api.client.nouns import queries
from registry.queries.schemas import JoinInput


@list_command("joins")
def list_joins(env: Environment, limit: LimitOption = 0) -> None:
    """List the wordings that are joined."""
    env.show_list(
        env.newest(queries.list_joins(), limit),
        {
            "id": "id",
            "question": "question",
            "one answer": lambda join: " = ".join(join.answers),
            "who": "created_by",
            "when": "created_at",
        },
        if_empty="No wordings are joined: `credence joins add`.",
    )


@command("joins", "add")
@parameter_options(JoinInput, question="QUESTION", answers="ANSWER...")
def add_join(env: Environment, values: JoinInput) -> None:
    """Join wordings of an answer to a question."""
    join = env.send(queries.join_answers(values))
    env.print_result(join, f"One answer: {' = '.join(join.answers)}. Undo: `credence joins undo {join.id}`.")


@command("joins", "undo", json=False)
def undo_join(env: Environment, join: Annotated[UUID, typer.Argument(help="Its id, from the list.")]) -> None:
    """Let joined wordings be different answers again."""
    env.send(queries.undo_join(join))
    env.print_note("Undone.")
