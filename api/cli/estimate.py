"""`credence estimate`: how far each source can be trusted."""

from typing import Annotated

import typer
from rich.text import Text

from api.cli.estimating import begin, finish
from api.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption
from api.cli.output import clean, plural, print_json
from api.cli.parameters import ClassesOption, LabelsOption, MethodOption, NegativeOption, RoundsOption, TiesOption
from api.cli.reliabilities import reliability_table, told
from api.cli.terminal import Terminal, given, terminal_of
from api.http.schemas.estimations import EstimationView
from registry import estimation
from registry.estimation.copy_groups import Voice
from registry.inputs.estimations import EstimationParameters
from registry.models import Corpus, EstimationRun, Trigger
from registry.runtime import Runtime
from registry.store.reliabilities import Reliabilities, current_reliabilities

DetachOption = Annotated[
    bool, typer.Option("--wait/--detach", help="Work on it here until it ends, or leave it to a worker.")
]


def estimate(  # noqa: PLR0913, PLR0917  (one an option)
    ctx: typer.Context,
    method: MethodOption = None,
    labels: LabelsOption = None,
    ties: TiesOption = None,
    negative_weights: NegativeOption = None,
    max_rounds: RoundsOption = None,
    class_policy: ClassesOption = None,
    wait: DetachOption = True,
    corpus: CorpusOption = DEFAULT_CORPUS,
    as_json: JsonOption = False,
) -> None:
    """Estimate the reliability of all sources from what they say; goes on with an estimation under way."""
    terminal = terminal_of(ctx)
    parameters = given(
        EstimationParameters,
        method=method,
        labels=labels,
        ties=ties,
        negative_weights=negative_weights,
        max_rounds=max_rounds,
        class_policy=class_policy,
    )
    if not wait:
        _queue(terminal, corpus, parameters, as_json=as_json)
        return
    run, current = terminal.with_runtime(corpus, lambda runtime, owner: _run(terminal, runtime, owner, parameters))
    if as_json:
        print_json(EstimationView.of(run))
        return
    terminal.out.print(reliability_table(current.sources))
    terminal.out.print(Text(summary(run)), soft_wrap=True)
    for line in reasons(run):
        terminal.out.print(Text(line), soft_wrap=True)


async def _run(
    terminal: Terminal, runtime: Runtime, corpus: Corpus, parameters: EstimationParameters
) -> tuple[EstimationRun, Reliabilities]:
    begun = await begin(runtime, corpus, parameters)
    if begun.resumed:
        terminal.err.print(
            Text(f"Going on with the estimation {begun.run.id}, with its own parameters."), soft_wrap=True
        )
    run = await finish(runtime, corpus, begun.run, terminal.err)
    async with runtime.database.begin() as session:
        return run, await current_reliabilities(session, corpus)


def _queue(terminal: Terminal, corpus: str, parameters: EstimationParameters, *, as_json: bool) -> None:
    run = terminal.with_runtime(
        corpus, lambda runtime, owner: estimation.start(runtime, owner, parameters, Trigger.COMMAND)
    )
    if as_json:
        print_json(EstimationView.of(run))
    else:
        terminal.out.print(Text(f"Queued as {run.id}; a worker will do it."), soft_wrap=True)


def summary(run: EstimationRun) -> str:
    """What a run did, in a sentence or two."""
    seconds = (run.finished_at - run.started_at).total_seconds() if run.finished_at and run.started_at else 0.0
    readings = (
        f"{plural(run.readings_made, 'reading')} made, {run.readings_cached:,} known, {run.readings_failed:,} failed"
    )
    rounds = f"{plural(run.rounds or 0, 'round')} ({run.stop_reason})"
    return clean(
        f"{plural(run.votes_total, 'vote')} of {plural(run.sources_total, 'source')} on "
        f"{plural(run.queries_total, 'query', 'queries')}; {run.method} ended after {rounds}. "
        f"{readings}, {seconds:.1f} s."
    )


def reasons(run: EstimationRun) -> list[str]:
    """Why this method, and who is one voice with whom."""
    voices = map(Voice.model_validate, run.voices)
    return [clean(line) for line in (run.reason or "", *map(told, voices)) if line]
