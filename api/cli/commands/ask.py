"""`credence ask`: a question, answered by the most reliable sources."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer

from answering.errors import DebateError, ModelError
from api.cli.connection import Service, ServiceFailed
from api.cli.environment import Environment, parse_input
from api.cli.first_estimation import estimate_first
from api.cli.options import command
from api.cli.output import print_json, say
from api.cli.parameter_options import LongHelp, parameter_options
from api.cli.reports.answer import print_answer, print_headline
from api.cli.reports.debate import print_step
from api.client.nouns import answers
from api.http.schemas.answers import AnswerView, QuestionInput
from api.text import plural
from registry.answers.schemas import AnswerParameters
from registry.platform.errors import InvalidInput, Overloaded, TooSlow

app = typer.Typer(add_completion=False)
STDIN = Path("-")
# The last step of a question.
ANSWERED = "answered"
# What may go wrong with one question of a file and not with the next.
OF_ONE_QUESTION = (ModelError, DebateError, TooSlow, Overloaded, ServiceFailed)


@command(app, cls=LongHelp)
@parameter_options(AnswerParameters, candidates_only="--candidates-only/--all-sources", sources="--source")
def ask(
    env: Environment,
    parameters: AnswerParameters,
    question: Annotated[str | None, typer.Argument(help="The question.", show_default=False)] = None,
    file: Annotated[
        Path | None,
        typer.Option("--file", "-f", help="Ask every line of this file; - is standard input.", show_default=False),
    ] = None,
    follows: Annotated[
        UUID | None, typer.Option("--follows", help="The id of an answer that the question follows up on.")
    ] = None,
) -> None:
    if (question is None) == (file is None):
        raise InvalidInput("Give a question, or with --file a file that has one on every line.")
    if file is not None and follows is not None:
        raise InvalidInput("Give --follows with one question, not with a file.")
    if file is not None:
        _ask_all(env, file, parameters)
        return
    checked = parse_input(QuestionInput, question=question, parameters=parameters)
    with _estimated_service(env) as service:
        if env.as_json:
            print_json(service.send(answers.ask(checked.question, parameters, follows=follows)))
            return
        record = _ask_step_by_step(env, service, checked.question, parameters, follows)
    if record.question != checked.question:
        say(env.out, f"Understood as: {record.question}", style="dim")
    if record.result is not None:
        print_answer(env.out, record.result)


@contextmanager
def _estimated_service(env: Environment) -> Iterator[Service]:
    """The service; one within this process has no scheduler that estimates before the first question."""
    with env.service() as service:
        if service.worker is not None:
            estimate_first(env, service)
        yield service


def _ask_step_by_step(
    env: Environment, service: Service, question: str, parameters: AnswerParameters, follows: UUID | None
) -> AnswerView:
    """The answer; the turns of a debate are printed while they happen."""
    for step in service.steps(answers.step_by_step(answers.ask(question, parameters, follows=follows))):
        if step.kind == ANSWERED:
            return AnswerView.model_validate(step.data)
        print_step(env.err, step.kind, step.data)
    raise ServiceFailed("The service broke off before it had answered; ask again.")


def _ask_all(env: Environment, file: Path, parameters: AnswerParameters) -> None:
    """Answer the questions of a file one after the other; ends with status 1 if one of them failed."""
    questions = [parse_input(QuestionInput, question=line).question for line in _lines(file)]

    failures = 0
    with _estimated_service(env) as service:
        for number, question in enumerate(questions, start=1):
            try:
                record = service.send(answers.ask(question, parameters))
            except OF_ONE_QUESTION as error:
                failures += 1
                env.print_note(f"Not answered ({number} of {len(questions)}): {question}: {error}")
                continue
            if env.as_json:
                print_json(record)
            elif record.result is not None:
                say(env.out, question, style="bold")
                print_headline(env.out, record.result)
    if failures:
        env.print_note(f"{failures} of {plural(len(questions), 'question')} not answered.")
        raise typer.Exit(1)


def _lines(file: Path) -> list[str]:
    """The lines that are not blank."""
    try:
        text = sys.stdin.read() if file == STDIN else file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file} cannot be read as text in UTF-8: {error}") from error
    return [line.strip() for line in text.splitlines() if line.strip()]
