"""Estimations and generations of queries: started, followed to their end with their progress, and stopped by Ctrl-C."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from rich.console import Console

from api.cli.connection import Service
from api.cli.environment import Environment
from api.cli.progress import progress
from api.client.nouns import estimations, queries
from api.client.nouns.corpora import get_corpus
from api.client.nouns.sources import list_sources
from api.http.schemas.base import EventView
from api.http.schemas.estimations import EstimationView
from api.http.schemas.queries import GenerationView
from api.text import plural
from registry.estimations.schemas import EstimationParameters
from registry.platform.enums import QueryOrigin, RunStatus, SourceStatus
from registry.platform.errors import Conflict, RegistryError
from registry.query_generations.schemas import GenerationParameters

POLL_SECONDS = 0.2
_BROUGHT = (QueryOrigin.GIVEN, QueryOrigin.STATED, QueryOrigin.VOTES)
# Enough to find the run under way, the last but those that were queued in the same moment.
NEWEST = 5


class WorkEnded(RegistryError):
    """An estimation or a generation of queries ended without a result; the message says why."""


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
    """The run when it has ended, its progress shown until then. Raises `WorkEnded` unless it succeeded."""
    with (
        progress_shown(console) as show,
        _cancelling_on_interrupt(service, run, console),
        service.working_on("estimate", run.id),
    ):
        for event in service.follow(estimations.follow_estimation(run.id)):
            show(event)
    ended = service.send(estimations.get_estimation(run.id))
    require_success(ended)
    return ended


def require_success(ended: EstimationView) -> None:
    """Raise `WorkEnded` unless the run succeeded."""
    if ended.status is not RunStatus.SUCCEEDED:
        reason = ended.problem.detail if ended.problem else "on request; its readings are kept"
        how = "was cancelled" if ended.status is RunStatus.CANCELLED else ended.status
        raise WorkEnded(f"The estimation {ended.id} {how}: {reason}")


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


def estimate_first(env: Environment, service: Service) -> None:
    """Write queries and estimate, as a service does by itself, where nothing was estimated and nobody added queries.

    Where that cannot be done, say why.
    """
    runs = service.newest(estimations.list_estimations())
    if any(run.status is RunStatus.SUCCEEDED for run in runs):
        return
    if not _writes_queries(service) or _has_queries(service, *_BROUGHT):
        return
    if not service.has_any(list_sources(status=SourceStatus.ACTIVE)):
        return
    env.print_note("No reliability was estimated yet. This comes first, once, and can take minutes.")
    try:
        write_first_queries(env, service)
        if service.has_any(queries.list_queries()):
            run = start_or_resume(service, EstimationParameters(), env.print_note)
            follow_to_end(service, run, env.err)
            return
        why = "it is tried again with the next question, and may succeed with more documents."
    except WorkEnded as error:
        why = str(error)
    env.print_note(f"Nothing is estimated, and all sources count alike: {why}")


def write_first_queries(env: Environment, service: Service) -> None:
    """Write queries from the documents where there are none but questions that were asked, and say how many."""
    if not _writes_queries(service) or _has_queries(service, *_BROUGHT, QueryOrigin.GENERATED):
        return
    env.print_note("There are no queries yet: writing some from the documents.")
    generation = wait_for_queries(env, service, _start_or_join(service))
    env.print_note(generation_line(generation))


def generation_line(view: GenerationView) -> str:
    report = view.report
    added = f"Added {plural(report.queries, 'query', 'queries')}"
    line = f"{added} from {plural(report.documents, 'document')}, after {plural(report.readings, 'reading')}."
    return line if report.queries else f"{line} They need facts that several sources state in their own words."


def wait_for_queries(env: Environment, service: Service, view: GenerationView) -> GenerationView:
    """The generation when it has ended; raises `WorkEnded` where it failed."""
    with env.err.status("Reading ...") as shown, service.working_on("generate_queries", view.id):
        while not RunStatus(view.status).ended:
            time.sleep(POLL_SECONDS)
            view = service.send(queries.get_generation(view.id))
            shown.update(f"Reading ... {plural(view.report.queries, 'query', 'queries')} until now")
    if view.problem is not None:
        raise WorkEnded(view.problem.detail)
    return view


def _writes_queries(service: Service) -> bool:
    return service.send(get_corpus()).generate_queries


def _has_queries(service: Service, *origins: QueryOrigin) -> bool:
    return any(service.has_any(queries.list_queries(origin=origin)) for origin in origins)


def _start_or_join(service: Service) -> GenerationView:
    call = queries.generate_queries(GenerationParameters())
    try:
        return service.send(call)
    except Conflict:
        newest = service.newest(queries.list_generations(), 1)
        if newest and not RunStatus(newest[0].status).ended:
            return newest[0]
        # It has ended meanwhile.
        return service.send(call)
