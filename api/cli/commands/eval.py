"""`credence eval`: methods, confidence and reliabilities measured with gold answers."""

import asyncio

from rich.console import Console

from api.cli.environment import Environment
from api.cli.options import command
from api.cli.output import number, say, table
from api.cli.parameter_options import LongHelp, parameter_options
from api.cli.progress import progress
from api.cli.schema import bring_up_to_date
from api.text import plural
from registry.answers.schemas import AnswerParameters
from registry.corpora import store as corpora
from registry.estimations.store import estimates as stored_evaluations
from registry.evaluations.schemas import Evaluation, Interval
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


_VERDICTS = {True: "agrees", False: "differs", None: ""}


def print_evaluation(console: Console, evaluation: Evaluation) -> None:
    """The whole evaluation."""
    methods = table(
        evaluation.methods,
        {
            "method": "name",
            "right": lambda method: number(method.accuracy.share, 3),
            "": lambda method: f"{method.accuracy.right} of {method.accuracy.of}",
            "95 %": lambda method: _interval(method.accuracy),
            "answered": "answered",
            "conflicting": "conflicting",
            "readings": "readings",
        },
    )
    console.print(methods)
    sources = table(
        evaluation.sources,
        {
            "source": "name",
            "estimated": "estimated",
            "by gold": "gold.share",
            "95 %": lambda source: _interval(source.gold),
            "votes": "votes",
            "misread": "reader_errors",
            "statements": lambda source: source.statements.share if source.statements else None,
            "": lambda source: _VERDICTS[source.agrees],
        },
    )
    console.print(sources)
    say(console, _summary(evaluation))


def _interval(interval: Interval) -> str:
    """Both ends of an interval; empty where nothing was counted."""
    return f"{interval.lower:.2f} to {interval.upper:.2f}" if interval.of else ""


def _summary(evaluation: Evaluation) -> str:
    sentences = [f"{plural(evaluation.queries, 'query', 'queries')} with gold answers."]
    if evaluation.correlation is not None:
        sentences.append(f"Estimated and gold-based reliabilities correlate with r = {evaluation.correlation:.2f}.")
    if evaluation.mean_difference is not None:
        sentences.append(f"They differ by {evaluation.mean_difference:.2f} on average.")
    counted = [source for source in evaluation.sources if source.reader_errors is not None]
    misread = sum(source.reader_errors or 0 for source in counted)
    wrong = sum(source.votes - source.gold.right for source in counted)
    if misread:
        sentences.append(
            f"Of {plural(wrong, 'wrong vote')} {misread:,} are errors of the reader: a right answer stands in what was "
            f"read; {wrong - misread:,} are errors of sources."
        )
    if evaluation.calibration.expected_error is not None:
        sentences.append(f"Confidence is off by {evaluation.calibration.expected_error:.2f} on average.")
    return " ".join([*sentences, *evaluation.notes])
