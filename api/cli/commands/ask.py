"""`credence ask`: a question, answered by the most reliable sources."""

from typing import Annotated

import typer

from api.cli.environment import Environment, parse_input
from api.cli.options import command
from api.cli.output import print_json
from api.cli.parameter_options import LongHelp, parameter_options
from api.cli.reports.answer import print_answer
from api.cli.reports.debate import print_steps_to
from api.http.schemas.answers import AnswerView, QuestionInput
from registry import answers
from registry.answers.progress import silent
from registry.inputs.answers import AnswerParameters
from registry.results.answer import AnswerResult

app = typer.Typer(add_completion=False)


@command(app, cls=LongHelp)
@parameter_options(AnswerParameters, candidates_only="--candidates-only/--all-sources")
def ask(
    env: Environment,
    question: Annotated[str, typer.Argument(help="What you want to know.")],
    parameters: AnswerParameters,
) -> None:
    checked = parse_input(QuestionInput, question=question, parameters=parameters)
    progress = silent if env.as_json else print_steps_to(env.err)
    record = env.with_runtime(
        lambda runtime, owner: answers.ask(runtime, owner, checked.question, parameters, progress=progress)
    )
    if env.as_json:
        print_json(AnswerView.model_validate(record))
    else:
        print_answer(env.out, AnswerResult.model_validate(record.result))
