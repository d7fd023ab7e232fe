"""`credence eval`: methods, confidence and reliabilities measured with gold answers."""

import asyncio

from api.cli.environment import Environment
from api.cli.options import command
from api.cli.parameter_options import LongHelp, parameter_options
from api.cli.progress import progress
from api.cli.reports.evaluation import print_evaluation
from api.cli.schema import bring_up_to_date
from registry.answers.schemas import AnswerParameters
from registry.corpora import store as corpora
from registry.estimations.store import estimates as stored_evaluations
from registry.evaluations.schemas import Evaluation
from registry.evaluations.service import evaluate
from registry.platform.settings import Settings


@command("eval", cls=LongHelp)
@parameter_options(
    AnswerParameters, left_out=("keep_as_query",), candidates_only="--candidates-only/--all-sources", sources="--source"
)
def evaluate_corpus(env: Environment, parameters: AnswerParameters) -> None:
    settings = env.local_settings()
    bring_up_to_date(settings, env.print_note, only_empty=True)
    env.show(asyncio.run(_evaluate(env, settings, parameters)), print_evaluation)


async def _evaluate(env: Environment, settings: Settings, parameters: AnswerParameters) -> Evaluation:
    async with env.open_runtime(settings) as runtime:
        async with runtime.database.begin() as session:
            corpus = await corpora.get(session, env.corpus)
        with progress(env.err, "no query has been read yet.") as update:

            def show(done: int, total: int) -> None:
                update("Reading", done, total, "queries", f"{done} of {total} queries read.")

            evaluation = await evaluate(runtime, corpus, parameters=parameters, progress=show)
        async with runtime.database.begin() as session:
            await stored_evaluations.save_evaluation(session, corpus, evaluation)
    return evaluation
