"""`credence ask`: a question, answered by the sources that deserve it."""

from typing import Annotated

import typer

from api.cli.answer_report import print_answer
from api.cli.choices import ChoicesOption, chosen
from api.cli.debate_report import following
from api.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption
from api.cli.output import print_json
from api.cli.parameters import ClassesOption
from api.cli.terminal import given, terminal_of
from api.http.schemas.answers import AnswerView, QuestionInput
from registry import answers as asking
from registry.answers.progress import silent
from registry.inputs.answers import AnswerParameters, KappaCounts, RankBy
from registry.inputs.strategies import Strategy
from registry.results.answer import AnswerResult


def ask(  # noqa: PLR0913, PLR0917  (one an option)
    ctx: typer.Context,
    question: Annotated[str, typer.Argument(help="What you want to know.")],
    kappa: Annotated[int | None, typer.Option(min=1, max=1000, help="Sources the answer is made of.")] = None,
    strategy: Annotated[Strategy | None, typer.Option(help="How the answer is made: a vote, or a debate.")] = None,
    kappa_counts: Annotated[
        KappaCounts | None, typer.Option(help="Whether copies fill a place of these each, or one together.")
    ] = None,
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
    choices: ChoicesOption = None,
    max_model_calls: Annotated[int | None, typer.Option(min=0, help="Calls a debate may make.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=0, help="Tokens a debate may read and write.")] = None,
    max_seconds: Annotated[float | None, typer.Option(min=0, help="Seconds a debate may take.")] = None,
    corpus: CorpusOption = DEFAULT_CORPUS,
    as_json: JsonOption = False,
) -> None:
    """Answer a question, and say who says so, who does not, and where it stands written."""
    terminal = terminal_of(ctx)
    parameters = given(
        AnswerParameters,
        kappa=kappa,
        strategy=strategy,
        kappa_counts=kappa_counts,
        rank_by=rank_by,
        batch=batch,
        max_readings=max_readings,
        stop_early=stop_early,
        candidates_only=candidates_only,
        min_margin=min_margin,
        class_policy=class_policy,
        max_model_calls=max_model_calls,
        max_tokens=max_tokens,
        max_seconds=max_seconds,
        **chosen(strategy, choices or []),
    )
    asked = given(QuestionInput, question=question, parameters=parameters)
    progress = silent if as_json else following(terminal.err)
    record = terminal.with_runtime(
        corpus, lambda runtime, owner: asking.ask(runtime, owner, asked.question, asked.parameters, progress=progress)
    )
    if as_json:
        print_json(AnswerView.model_validate(record))
    else:
        print_answer(terminal.out, AnswerResult.model_validate(record.result))
