"""`credence conflict`: how far a response states as settled what its documents dispute."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from api.cli.environment import Environment, parse_input, validation_message
from api.cli.options import command
from api.cli.output import print_json
from api.cli.parameter_options import LongHelp, parameter_options
from api.cli.reports.conflict import print_conflict
from api.client.nouns import answers
from registry.conflict_scores.schemas import ConflictInput, ConflictParameters, GivenDocument
from registry.platform.errors import InvalidInput

app = typer.Typer(add_completion=False)

STDIN = "-"
NDJSON_SUFFIXES = (".ndjson", ".jsonl")


@command(app, cls=LongHelp)
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
    result = env.send(answers.score_conflicts(checked))
    if env.as_json:
        print_json(result)
    else:
        print_conflict(env.out, result)


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
