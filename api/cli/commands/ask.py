"""`credence ask`: a question, answered by the most reliable sources."""

from typing import Annotated

import typer

from api.cli.environment import environment_of, parse_input
from api.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption
from api.cli.output import print_json
from api.cli.parameter_options import parameter_options
from api.cli.reports.answer import print_answer
from api.cli.reports.debate import print_steps_to
from api.http.schemas.answers import AnswerView, QuestionInput
from registry import answers
from registry.answers.progress import silent
from registry.inputs.answers import AnswerParameters
from registry.results.answer import AnswerResult

app = typer.Typer(add_completion=False)


@app.command()
@parameter_options(AnswerParameters, candidates_only="--candidates-only/--all-sources")
def ask(
    ctx: typer.Context,
    question: Annotated[str, typer.Argument(help="What you want to know.")],
    parameters: AnswerParameters,
    corpus: CorpusOption = DEFAULT_CORPUS,
    as_json: JsonOption = False,
) -> None:
    env = environment_of(ctx)
    checked = parse_input(QuestionInput, question=question, parameters=parameters)
    progress = silent if as_json else print_steps_to(env.err)
    record = env.with_runtime(
        corpus, lambda runtime, owner: answers.ask(runtime, owner, checked.question, parameters, progress=progress)
    )
    if as_json:
        print_json(AnswerView.model_validate(record))
    else:
        print_answer(env.out, AnswerResult.model_validate(record.result))
