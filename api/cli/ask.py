"""`credence ask`: a question, answered by the sources that deserve it."""

from typing import Annotated

import typer

from api.cli.answer_report import print_answer
from api.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption
from api.cli.output import print_json
from api.cli.parameters import ClassesOption
from api.cli.terminal import given, terminal_of
from api.schemas.answers import AnswerView, QuestionInput
from registry import ask as asking
from registry.answer_view import AnswerResult
from registry.parameters import AnswerParameters, RankBy, Strategy


def ask(  # noqa: PLR0913, PLR0917  (one an option)
    ctx: typer.Context,
    question: Annotated[str, typer.Argument(help="What you want to know.")],
    kappa: Annotated[int | None, typer.Option(min=1, max=1000, help="Sources the answer is made of.")] = None,
    strategy: Annotated[Strategy | None, typer.Option(help="How the answer is made of their readings.")] = None,
    rank_by: Annotated[RankBy | None, typer.Option(help="Which sources are asked first.")] = None,
    batch: Annotated[int | None, typer.Option(min=1, max=64, help="Sources read at once.")] = None,
    max_readings: Annotated[int | None, typer.Option(min=1, help="Readings to spend at most.")] = None,
    stop_early: Annotated[bool, typer.Option("--stop-early", help="Stop when the winner is certain.")] = False,
    candidates_only: Annotated[
        bool | None,
        typer.Option(
            "--candidates-only/--all-sources", help="Walk only sources that a search finds.", show_default=False
        ),
    ] = None,
    min_margin: Annotated[float | None, typer.Option(min=0, max=1, help="Margin below which it is a conflict.")] = None,
    class_policy: ClassesOption = None,
    corpus: CorpusOption = DEFAULT_CORPUS,
    as_json: JsonOption = False,
) -> None:
    """Answer a question, and say who says so, who does not, and where it stands written."""
    terminal = terminal_of(ctx)
    parameters = given(
        AnswerParameters,
        kappa=kappa,
        strategy=strategy,
        rank_by=rank_by,
        batch=batch,
        max_readings=max_readings,
        stop_early=stop_early,
        candidates_only=candidates_only,
        min_margin=min_margin,
        class_policy=class_policy,
    )
    asked = given(QuestionInput, question=question, parameters=parameters)
    record = terminal.with_runtime(
        corpus, lambda runtime, owner: asking.ask(runtime, owner, asked.question, asked.parameters)
    )
    if as_json:
        print_json(AnswerView.model_validate(record))
    else:
        print_answer(terminal.out, AnswerResult.model_validate(record.result))
