"""Follow an estimation with a progress bar until it ends or Ctrl-C stops it."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from rich.console import Console

from api.cli.connection import Service
from api.cli.progress import progress
from api.client.nouns import estimations
from api.http.schemas.estimations import EstimationView
from api.http.schemas.events import EventView
from api.text import plural
from registry.estimations.schemas import EstimationParameters
from registry.platform.enums import RunStatus
from registry.platform.errors import Conflict, RegistryError

JOB = "estimate"
# Enough to find the run under way, the last but those that were queued in the same moment.
NEWEST = 5


class EstimationEnded(RegistryError):
    """The run ended without a result; the message says why."""


class EstimationInterrupted(RegistryError):
    """Ctrl-C came twice: the run stays unfinished, and can be resumed."""


def start_or_resume(service: Service, parameters: EstimationParameters, say: Callable[[str], None]) -> EstimationView:
    """A new run, or the one under way in this corpus, which is said."""
    while True:
        try:
            return service.send(estimations.start_estimation(parameters))
        except Conflict:
            listed = service.newest(estimations.list_estimations(), NEWEST)
            active = [run for run in listed if not run.status.ended]
            if active:
                say(f"Continuing the estimation {active[-1].id}, with its own parameters.")
                return active[-1]


def follow_to_end(service: Service, run: EstimationView, console: Console) -> EstimationView:
    """The run when it has ended, its progress shown until then. Raises `EstimationEnded` unless it succeeded."""
    with (
        progress_shown(console) as show,
        _cancelling_on_interrupt(service, run, console),
        service.working_on(JOB, run.id),
    ):
        for event in service.follow(estimations.follow_estimation(run.id)):
            show(event)
    ended = service.send(estimations.get_estimation(run.id))
    require_success(ended)
    return ended


def require_success(ended: EstimationView) -> None:
    """Raise `EstimationEnded` unless the run succeeded."""
    if ended.status is not RunStatus.SUCCEEDED:
        reason = ended.problem.detail if ended.problem else "on request; its readings are kept"
        how = "was cancelled" if ended.status is RunStatus.CANCELLED else ended.status
        raise EstimationEnded(f"The estimation {ended.id} {how}: {reason}")


@contextmanager
def progress_shown(console: Console) -> Iterator[Callable[[EventView], None]]:
    """Shows how far an estimation is, by the events that the yielded function is called with."""
    with progress(console, "no query has been read yet.") as update:

        def show(event: EventView) -> None:
            if event.kind == "forecast":
                console.print(_forecast(event.data))
            elif event.kind == "progress":
                done, total = int(event.data["queries_collected"]), int(event.data["queries_total"])
                votes = plural(int(event.data["votes_total"]), "vote")
                read = f"{votes}, {event.data['readings_cached']:,} readings cached"
                state = f"{done} of {plural(total, 'query', 'queries')} read, {read}."
                line = state if done < total else f"estimating from {votes}."
                update("Reading", done, total, f"queries, {read}", line)
                if done == total and not console.is_terminal:
                    console.print(state)

        yield show


def _forecast(data: dict[str, Any]) -> str:
    seconds = "" if not data["seconds"] else f", about {plural(data['seconds'], 'second')} if none is cached"
    queries = plural(data["queries"], "query", "queries")
    return f"About {plural(data['readings'], 'reading')} for {queries}{seconds}."


@contextmanager
def _cancelling_on_interrupt(service: Service, run: EstimationView, console: Console) -> Iterator[None]:
    """The first Ctrl-C asks the run to stop, the second leaves it unfinished."""
    requests: list[threading.Thread] = []

    def cancel() -> None:
        try:
            service.send(estimations.cancel_estimation(run.id))
        except RegistryError as error:
            if not isinstance(error, Conflict):  # else it ended by itself
                console.print(f"It could not be stopped: {error}", markup=False)

    def interrupted(_signal: int, _frame: FrameType | None) -> None:
        if requests:
            raise EstimationInterrupted("Interrupted. The next estimation, or a worker, continues from here.")
        console.print("Stopping; readings are kept. Ctrl-C again stops at once.")
        # The response that is being waited for is on the connection of this thread.
        requests.append(threading.Thread(target=cancel))
        requests[0].start()

    former = signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)
        for request in requests:
            request.join()
