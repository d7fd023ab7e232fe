"""`credence conflict`: how far a response states as settled what its documents dispute."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from api.cli.conflict_report import print_conflict
from api.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption
from api.cli.output import print_json
from api.cli.terminal import describe, given, terminal_of
from api.http.schemas.conflict_scores import ConflictAnswer, ConflictInput
from registry import conflict_scores as scoring
from registry.conflict_scores.retrieval import GivenDocument
from registry.errors import InvalidInput
from registry.inputs.conflict_scores import ConflictParameters, SplitterKind
from registry.settings import JudgeKind

STDIN = "-"
LINES = (".ndjson", ".jsonl")


def conflict(  # noqa: PLR0913, PLR0917  (one an option)
    ctx: typer.Context,
    response: Annotated[str, typer.Argument(help="What somebody wrote; `-` reads it from standard input.")],
    question: Annotated[str | None, typer.Option("--question", "-q", help="What it answers.")] = None,
    documents: Annotated[
        list[Path] | None,
        typer.Option(
            "--document",
            "-d",
            exists=True,
            dir_okay=False,
            help="A text file to hold it against, or an NDJSON file of documents as over HTTP; may be repeated."
            " Without any the corpus is searched.",
        ),
    ] = None,
    judge: Annotated[JudgeKind | None, typer.Option(help="Who judges.")] = None,
    claims: Annotated[SplitterKind | None, typer.Option(help="Who takes the response apart into claims.")] = None,
    min_probability: Annotated[
        float | None, typer.Option(min=0, max=1, help="Labels less probable than this count as irrelevant.")
    ] = None,
    max_sources: Annotated[int | None, typer.Option(min=1, max=50, help="Sources searched for documents.")] = None,
    regenerate: Annotated[
        bool, typer.Option("--regenerate", help="Have the language model rewrite it with its contested claims.")
    ] = False,
    corpus: CorpusOption = DEFAULT_CORPUS,
    as_json: JsonOption = False,
) -> None:
    """Hold a response against documents: which claims do they dispute, who says what, and how sure is that."""
    terminal = terminal_of(ctx)
    parameters = given(
        ConflictParameters, judge=judge, claims=claims, min_probability=min_probability, max_sources=max_sources
    )
    asked = given(
        ConflictInput,
        response=sys.stdin.read() if response == STDIN else response,
        question=question,
        documents=[document for path in documents for document in _read(path)] if documents else None,
        regenerate=regenerate,
        parameters=parameters,
    )
    wanted = scoring.ScoringRequest(asked.response, asked.question, asked.documents, asked.parameters, asked.regenerate)
    scored = terminal.with_runtime(corpus, lambda runtime, owner: scoring.score(runtime, owner, wanted))
    if as_json:
        print_json(ConflictAnswer.model_validate(scored))
    else:
        print_conflict(terminal.out, scored)


def _read(path: Path) -> list[GivenDocument]:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not text in UTF-8.") from error
    if path.suffix not in LINES:
        return [given(GivenDocument, content=text, external_id=path.name, title=path.stem)]
    return [_document(line, path, number) for number, line in enumerate(text.splitlines(), 1) if line.strip()]


def _document(line: str, path: Path, number: int) -> GivenDocument:
    """The document on one line of a file; raises `InvalidInput` that says which."""
    try:
        return GivenDocument.model_validate_json(line)
    except ValidationError as error:
        raise InvalidInput(f"Line {number} of {path}: {describe(error)}") from error
