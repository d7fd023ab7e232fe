"""`credence answers`: what was asked before, and what was answered."""

from typing import Annotated
from uuid import UUID

import typer
from rich.text import Text

from api.cli.answer_report import print_answer
from api.cli.lists import newest
from api.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption, LimitOption, noun, pass_on
from api.cli.output import cell, clean, moment, print_json, print_lines, print_table, table
from api.cli.terminal import Terminal, terminal_of
from api.http.schemas.answers import AnswerSummary, AnswerView
from registry.models import AnswerRecord
from registry.results.answer import AnswerResult
from registry.store import answers as stored_answers

app = noun("Questions asked before, and their answers.")

SHOWN = 20


@app.callback()
def default(
    ctx: typer.Context, limit: LimitOption = SHOWN, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False
) -> None:
    """Questions asked before, and their answers."""
    if pass_on(ctx, limit=limit, corpus=corpus, as_json=as_json):
        _list(terminal_of(ctx), corpus, limit, as_json=as_json)


@app.command("list")
def list_answers(
    ctx: typer.Context, limit: LimitOption = SHOWN, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False
) -> None:
    """Show the newest answers, the latest last."""
    _list(terminal_of(ctx), corpus, limit, as_json=as_json)


@app.command()
def show(
    ctx: typer.Context,
    answer_id: Annotated[UUID, typer.Argument(help="The answer's id, from the list.")],
    corpus: CorpusOption = DEFAULT_CORPUS,
    as_json: JsonOption = False,
) -> None:
    """Show one answer whole."""
    terminal = terminal_of(ctx)
    record = terminal.in_corpus(corpus, lambda session, owner: stored_answers.get(session, owner, answer_id))
    if as_json:
        print_json(AnswerView.model_validate(record))
        return
    terminal.out.print(Text(clean(record.question), style="bold"), soft_wrap=True)
    if record.result is not None:
        print_answer(terminal.out, AnswerResult.model_validate(record.result))
    else:
        terminal.out.print(Text(f"{record.status}. {clean((record.problem or {}).get('detail', ''))}"), soft_wrap=True)


def _list(terminal: Terminal, corpus: str, limit: int, *, as_json: bool) -> None:
    found = terminal.in_corpus(
        corpus,
        lambda session, owner: newest(
            lambda cursor, size: stored_answers.page(session, owner, cursor=cursor, limit=size), limit
        ),
    )
    if as_json:
        print_lines(map(AnswerSummary.model_validate, found))
        return
    made = table("asked", "question", "answer", fixed=("asked",))
    for record in found:
        question = Text.assemble(cell(record.question), "\n", (str(record.id), "dim"))
        made.add_row(moment(record.created_at), question, _answer(record))
    print_table(terminal.out, made, shown=len(found), nothing="Nothing was asked yet: `credence ask QUESTION`.")


def _answer(record: AnswerRecord) -> Text:
    said = (record.result or {}).get("answers") or []
    return cell(" / ".join(said)) if said else cell(record.outcome or record.status, "dim")
