"""`credence ask`, `answers` and `conflict`: questions, their answers, and how far a response is disputed."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer
from pydantic import ValidationError
from rich.text import Text

from answering.errors import DebateError, ModelError
from api.cli.connection import Service, ServiceFailed
from api.cli.environment import Environment, parse_input, validation_message
from api.cli.following import estimate_first
from api.cli.options import LimitOption, command, list_command
from api.cli.output import cell, moment, print_json, say
from api.cli.parameter_options import LongHelp, parameter_options
from api.cli.reports.answer import print_answer, print_headline
from api.cli.reports.conflict import print_conflict
from api.cli.reports.debate import print_step
from api.client.nouns import answers
from api.http.schemas.answers import AnswerSummary, AnswerView, QuestionInput
from api.text import plural
from registry.answers.schemas import AnswerParameters, ShareInput
from registry.conflict_scores.schemas import ConflictInput, ConflictParameters, GivenDocument
from registry.platform.errors import InvalidInput, Overloaded, TooSlow

STDIN = "-"
# The last step of a question.
ANSWERED = "answered"
# What may go wrong with one question of a file and not with the next.
OF_ONE_QUESTION = (ModelError, DebateError, TooSlow, Overloaded, ServiceFailed)


@command("ask", cls=LongHelp)
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
        text = sys.stdin.read() if str(file) == STDIN else file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file} cannot be read as text in UTF-8: {error}") from error
    return [line.strip() for line in text.splitlines() if line.strip()]


DEFAULT_LIMIT = 20
AnswerArgument = Annotated[UUID, typer.Argument(help="The answer's id, from the list.")]


@list_command("answers")
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


@command("answers")
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


@command("answers")
@parameter_options(ShareInput)
def share(env: Environment, answer_id: AnswerArgument, values: ShareInput) -> None:
    """Make a link that shows an answer to people without a key."""
    made = env.send(answers.share_answer(answer_id, values))
    until = f"until {moment(made.expires_at)}, or until `credence answers revoke {made.id}`"
    env.print_result(made, f"At the address of the service, {until}: {made.path}")


@command("answers")
def shares(env: Environment, limit: LimitOption = 0) -> None:
    """List the links that show answers."""
    env.show_list(
        env.newest(answers.list_shares(), limit),
        {"id": "id", "answer": "answer_id", "who": "created_by", "made": "created_at", "ends": "expires_at"},
        if_empty="No answer is shared: `credence answers share ID`.",
    )


@command("answers", json=False)
def revoke(env: Environment, share_id: Annotated[UUID, typer.Argument(help="The link's id, from the list.")]) -> None:
    """End a link that shows an answer."""
    env.send(answers.revoke_share(share_id))
    env.print_note("Revoked.")


def _answer(record: AnswerSummary) -> Text:
    return cell(" / ".join(record.answers)) if record.answers else cell(record.outcome or record.status, "dim")


NDJSON_SUFFIXES = (".ndjson", ".jsonl")


@command("conflict", cls=LongHelp)
@parameter_options(ConflictParameters)
def conflict(
    env: Environment,
    response: Annotated[str, typer.Argument(help="The response; `-` reads it from standard input.")],
    parameters: ConflictParameters,
    question: Annotated[str | None, typer.Option("--question", "-q", help="The question that it answers.")] = None,
    documents: Annotated[
        list[Path] | None,
        typer.Option(
            "--document",
            "-d",
            exists=True,
            dir_okay=False,
            help="A text file to compare it with, or an NDJSON file of documents; repeat for more."
            " Without any the corpus is searched.",
        ),
    ] = None,
    regenerate: Annotated[
        bool,
        typer.Option("--regenerate", help="Let the language model rewrite it with both sides of contested claims."),
    ] = False,
) -> None:
    checked = parse_input(
        ConflictInput,
        response=sys.stdin.read() if response == STDIN else response,
        question=question,
        documents=[document for path in documents for document in _read_documents(path)] if documents else None,
        regenerate=regenerate,
        parameters=parameters,
    )
    env.show(env.send(answers.score_conflicts(checked)), print_conflict)


def _read_documents(path: Path) -> list[GivenDocument]:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not text in UTF-8.") from error
    if path.suffix not in NDJSON_SUFFIXES:
        return [parse_input(GivenDocument, content=text, external_id=path.name, title=path.stem)]
    return [_parse_document(line, path, number) for number, line in enumerate(text.splitlines(), 1) if line.strip()]


def _parse_document(line: str, path: Path, number: int) -> GivenDocument:
    try:
        return GivenDocument.model_validate_json(line)
    except ValidationError as error:
        raise InvalidInput(f"Line {number} of {path}: {validation_message(error)}") from error
