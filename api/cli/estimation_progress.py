"""Work on an estimation in this process, with a progress bar, until it ends or Ctrl-C stops it."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from api.cli.progress_lines import progress_lines
from api.text import plural
from registry import estimation
from registry.errors import Conflict, RegistryError
from registry.inputs.estimations import EstimationParameters
from registry.models import Corpus, EstimationRun, RunStatus, Trigger
from registry.models.base import Json
from registry.runtime import Runtime
from registry.store import estimations, events

# Pause before looking again at a run that a worker elsewhere is doing.
RETRY_SECONDS = 1.0


class EstimationEnded(RegistryError):
    """The run ended without a result; the message says why."""


class EstimationInterrupted(RegistryError):
    """Ctrl-C came twice: the run stays unfinished, and can be resumed."""


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A run to work on, and whether it was under way before."""

    run: EstimationRun
    resumed: bool


async def start_or_resume(runtime: Runtime, corpus: Corpus, parameters: EstimationParameters) -> StartedRun:
    """The run under way in this corpus, else a new one."""
    try:
        return StartedRun(await estimation.start(runtime, corpus, parameters, Trigger.COMMAND), resumed=False)
    except Conflict:
        async with runtime.database.begin() as session:
            active = await estimations.active(session, corpus)
        if active is None:  # it ended in between
            return await start_or_resume(runtime, corpus, parameters)
        runtime.require_reader()
        return StartedRun(active, resumed=True)


async def follow_to_end(runtime: Runtime, corpus: Corpus, run: EstimationRun, console: Console) -> EstimationRun:
    """Work on a run, showing its progress, until it ends. Raises `EstimationEnded` unless it succeeds."""
    with _progress(console) as progress:
        task = progress.add_task("reading", total=None, votes="")
        interruptible = _cancelling_on_interrupt(runtime, corpus, run, progress.console)
        with progress_lines(progress.console, "no query is read yet.") as update:
            async with interruptible:
                following = asyncio.create_task(_follow(runtime, run, progress, task, update))
                try:
                    await _work(runtime, corpus, run)
                    await following
                finally:
                    following.cancel()
    async with runtime.database.begin() as session:
        ended = await estimations.get(session, corpus, run.id)
    if ended.status != RunStatus.SUCCEEDED:
        reason = (ended.problem or {}).get("detail", "as was asked for; its readings are kept")
        raise EstimationEnded(f"The estimation {ended.id} {_how_it_ended(ended)}: {reason}")
    return ended


def _how_it_ended(run: EstimationRun) -> str:
    return "was cancelled" if run.status == RunStatus.CANCELLED else run.status


async def _work(runtime: Runtime, corpus: Corpus, run: EstimationRun) -> None:
    """Do the run here; while a worker does it, wait, and take over should the worker die."""
    while True:
        await estimation.run(runtime, run.id)
        async with runtime.database.begin() as session:
            current = await estimations.get(session, corpus, run.id)
        if RunStatus(current.status).ended:
            return
        await asyncio.sleep(RETRY_SECONDS)


async def _follow(
    runtime: Runtime, run: EstimationRun, progress: Progress, task: TaskID, update: Callable[[str], None]
) -> None:
    async for event in events.follow(runtime.database, run.id):
        if event.kind == RunStatus.RUNNING:
            progress.update(task, total=event.data["queries"])
        elif event.kind == "forecast":
            progress.console.print(_forecast(event.data))
        elif event.kind == "progress":
            _show(progress, task, event.data, update)


def _forecast(data: Json) -> str:
    seconds = "" if not data["seconds"] else f", some {plural(data['seconds'], 'second')} where none is known"
    queries = plural(data["queries"], "query", "queries")
    return f"About {plural(data['readings'], 'reading')} for {queries}{seconds}."


def _show(progress: Progress, task: TaskID, data: Json, update: Callable[[str], None]) -> None:
    """Move the bar; where the console is no terminal, say so in the next line, and at once when all is read."""
    done, total = int(data["queries_collected"]), int(data["queries_total"])
    votes = f"{plural(int(data['votes_total']), 'vote')}, {data['readings_cached']:,} readings known"
    progress.update(task, total=total, completed=done, votes=votes)
    state = f"{done} of {plural(total, 'query', 'queries')} read, {votes}."
    if done < total:
        update(state)
    else:
        update(f"estimating from {plural(int(data['votes_total']), 'vote')}.")
        if not progress.console.is_terminal:
            progress.console.print(state)


@contextlib.contextmanager
def _progress(console: Console) -> Iterator[Progress]:
    columns = (
        TextColumn("Reading"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("queries, {task.fields[votes]}"),
        TimeRemainingColumn(compact=True),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        yield progress


@contextlib.asynccontextmanager
async def _cancelling_on_interrupt(
    runtime: Runtime, corpus: Corpus, run: EstimationRun, console: Console
) -> AsyncIterator[None]:
    """The first Ctrl-C asks the run to stop, the second leaves it unfinished."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    requests: list[asyncio.Task[None]] = []

    async def cancel() -> None:
        with contextlib.suppress(Conflict):  # it ended by itself
            async with runtime.database.begin() as session:
                await estimations.request_cancel(session, corpus, run.id)

    def interrupted() -> None:
        if requests:
            loop.remove_signal_handler(signal.SIGINT)
            if task is not None:
                task.cancel()
            return
        console.print("Stopping; what was read is kept. Ctrl-C again leaves at once.")
        requests.append(loop.create_task(cancel()))

    loop.add_signal_handler(signal.SIGINT, interrupted)
    try:
        yield
    except asyncio.CancelledError as error:
        if not requests:
            raise
        raise EstimationInterrupted(
            "Left in the middle. The next estimation goes on from here, as would a worker."
        ) from error
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        await asyncio.gather(*requests)
