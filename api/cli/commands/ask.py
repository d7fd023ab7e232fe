"""`credence ask`: a question, answered by the most reliable sources."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from answering.errors import DebateError, ModelError
from api.cli.environment import Environment, parse_input
from api.cli.options import command
from api.cli.output import print_json
from api.cli.parameter_options import LongHelp, parameter_options
from api.cli.reports.answer import print_answer, print_headline
from api.cli.reports.debate import print_steps_to
from api.http.schemas.answers import AnswerView, QuestionInput
from api.text import clean, plural
from registry import answers
from registry.answers.progress import silent
from registry.errors import InvalidInput, Overloaded, TooSlow
from registry.inputs.answers import AnswerParameters
from registry.models import Corpus
from registry.results.answer import AnswerResult
from registry.runtime import Runtime

app = typer.Typer(add_completion=False)
STDIN = Path("-")
# What may go wrong with one question of a file and not with the next.
OF_ONE_QUESTION = (ModelError, DebateError, TooSlow, Overloaded)


@command(app, cls=LongHelp)
@parameter_options(AnswerParameters, candidates_only="--candidates-only/--all-sources", sources="--source")
def ask(
    env: Environment,
    parameters: AnswerParameters,
    question: Annotated[str | None, typer.Argument(help="What you want to know.", show_default=False)] = None,
    file: Annotated[
        Path | None,
        typer.Option("--file", "-f", help="Ask every line of this file; - is standard input.", show_default=False),
    ] = None,
) -> None:
    if (question is None) == (file is None):
        raise InvalidInput("Give a question, or with --file a file that has one on every line.")
    if file is not None:
        _ask_all(env, file, parameters)
        return
    checked = parse_input(QuestionInput, question=question, parameters=parameters)
    progress = silent if env.as_json else print_steps_to(env.err)
    record = env.with_runtime(
        lambda runtime, owner: answers.ask(runtime, owner, checked.question, parameters, progress=progress)
    )
    if env.as_json:
        print_json(AnswerView.model_validate(record))
    else:
        print_answer(env.out, AnswerResult.model_validate(record.result))


def _ask_all(env: Environment, file: Path, parameters: AnswerParameters) -> None:
    """Answer the questions of a file one after the other; ends with status 1 if one of them failed."""
    questions = [parse_input(QuestionInput, question=line).question for line in _lines(file)]

    async def work(runtime: Runtime, owner: Corpus) -> int:
        failures = 0
        for number, question in enumerate(questions, start=1):
            try:
                record = await answers.ask(runtime, owner, question, parameters)
            except OF_ONE_QUESTION as error:
                failures += 1
                env.print_note(f"Not answered ({number} of {len(questions)}): {question}: {error}")
                continue
            if env.as_json:
                print_json(AnswerView.model_validate(record))
                continue
            env.out.print(Text(clean(question), style="bold"), soft_wrap=True)
            print_headline(env.out, AnswerResult.model_validate(record.result))
        return failures

    if failures := env.with_runtime(work):
        env.print_note(f"{failures} of {plural(len(questions), 'question')} not answered.")
        raise typer.Exit(1)


def _lines(file: Path) -> list[str]:
    """The lines that are not blank."""
    try:
        text = sys.stdin.read() if file == STDIN else file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file} cannot be read as text in UTF-8: {error}") from error
    return [line.strip() for line in text.splitlines() if line.strip()]
