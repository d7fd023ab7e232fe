"""`credence answers`: questions asked before, and their answers."""

from typing import Annotated
from uuid import UUID

import typer
from rich.text import Text

from api.cli.environment import Environment, newest
from api.cli.options import LimitOption, command, list_command
from api.cli.output import cell, moment, print_json, print_lines, print_table, table
from api.cli.reports.answer import print_answer
from api.http.schemas.answers import AnswerSummary, AnswerView
from api.text import clean
from registry.answers import stored_answer
from registry.models import AnswerRecord
from registry.store import answers

app = typer.Typer(add_completion=False)

DEFAULT_LIMIT = 20


@list_command(app)
def list_answers(
    env: Environment,
    limit: LimitOption = DEFAULT_LIMIT,
) -> None:
    """Show the newest answers, the latest last."""
    records = env.in_corpus(
        lambda session, owner: newest(
            lambda cursor, size: answers.page(session, owner, cursor=cursor, limit=size), limit
        ),
    )
    if env.as_json:
        print_lines(map(AnswerSummary.model_validate, records))
        return
    rows = table("asked", "question", "answer", fixed=("asked",))
    for record in records:
        question = Text.assemble(cell(record.question), "\n", (str(record.id), "dim"))
        rows.add_row(moment(record.created_at), question, _answer(record))
    print_table(env.out, rows, if_empty="Nothing was asked yet: `credence ask QUESTION`.")


@command(app)
def show(
    env: Environment,
    answer_id: Annotated[UUID, typer.Argument(help="The answer's id, from the list.")],
) -> None:
    """Show one answer whole."""
    record, result = env.in_corpus(lambda session, owner: stored_answer(session, owner, answer_id))
    if env.as_json:
        print_json(AnswerView.of(record, result))
        return
    env.out.print(Text(clean(record.question), style="bold"), soft_wrap=True)
    if result is not None:
        print_answer(env.out, result)
    else:
        env.out.print(Text(f"{record.status}. {clean((record.problem or {}).get('detail', ''))}"), soft_wrap=True)


def _answer(record: AnswerRecord) -> Text:
    texts = (record.result or {}).get("answers") or []
    return cell(" / ".join(texts)) if texts else cell(record.outcome or record.status, "dim")
