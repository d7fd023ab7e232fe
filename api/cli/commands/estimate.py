"""`credence estimate`: how reliable each source is."""

from typing import Annotated

import typer
from rich.text import Text

from api.cli.environment import Environment
from api.cli.estimation_progress import follow_to_end, start_or_resume
from api.cli.options import command
from api.cli.output import print_json
from api.cli.parameter_options import LongHelp, parameter_options
from api.cli.reports.estimation import reasons, reliability_table, summary, topic_table, turn_line
from api.http.schemas.estimations import EstimationView
from api.text import clean
from registry import estimation
from registry.inputs.estimations import EstimationParameters
from registry.models import Corpus, EstimationRun, Trigger
from registry.runtime import Runtime
from registry.store.reliabilities import Reliabilities, current_reliabilities

app = typer.Typer(add_completion=False)


@command(app, cls=LongHelp)
@parameter_options(EstimationParameters)
def estimate(
    env: Environment,
    parameters: EstimationParameters,
    wait: Annotated[
        bool, typer.Option("--wait/--detach", help="Work on it here until it ends, or leave it to a worker.")
    ] = True,
) -> None:
    if wait:
        run, current = env.with_runtime(lambda runtime, owner: _run(env, runtime, owner, parameters))
    else:
        current = None
        run = env.with_runtime(lambda runtime, owner: estimation.start(runtime, owner, parameters, Trigger.COMMAND))
    if env.as_json:
        print_json(EstimationView.of(run))
    elif current is None:
        env.out.print(Text(f"Queued as {run.id}; a worker will do it."), soft_wrap=True)
    else:
        env.out.print(reliability_table(current.sources))
        if run.topics:
            env.out.print(topic_table(current.sources, run))
        env.out.print(Text("\n".join([summary(run), *reasons(run)])), soft_wrap=True)
        for source in current.sources:
            if source.alarm:
                env.out.print(Text(clean(f"Alarm: {turn_line(source)}"), style="bold red"), soft_wrap=True)


async def _run(
    env: Environment, runtime: Runtime, corpus: Corpus, parameters: EstimationParameters
) -> tuple[EstimationRun, Reliabilities]:
    started = await start_or_resume(runtime, corpus, parameters)
    if started.resumed:
        env.err.print(Text(f"Going on with the estimation {started.run.id}, with its own parameters."), soft_wrap=True)
    run = await follow_to_end(runtime, corpus, started.run, env.err)
    async with runtime.database.begin() as session:
        return run, await current_reliabilities(session, corpus)
