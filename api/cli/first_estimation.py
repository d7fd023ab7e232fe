"""The first steps of a corpus without queries: write queries from its documents, and estimate."""

import time

from api.cli.connection import Service
from api.cli.environment import Environment
from api.cli.estimation_progress import EstimationEnded, follow_to_end, start_or_resume
from api.client.nouns import estimations, queries
from api.client.nouns.corpora import get_corpus
from api.client.nouns.sources import list_sources
from api.http.schemas.queries import GenerationView
from api.text import plural
from registry.estimations.schemas import EstimationParameters
from registry.platform.enums import QueryOrigin, RunStatus, SourceStatus
from registry.platform.errors import Conflict, RegistryError
from registry.query_generations.schemas import GenerationParameters

POLL_SECONDS = 0.2


class GenerationFailed(RegistryError):
    """A generation of queries ended without a result; the message says why."""


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
    except (GenerationFailed, EstimationEnded) as error:
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
    """A line on the queries that a generation added."""
    report = view.report
    added = f"Added {plural(report.queries, 'query', 'queries')}"
    line = f"{added} from {plural(report.documents, 'document')}, after {plural(report.readings, 'reading')}."
    return line if report.queries else f"{line} They need facts that several sources state in their own words."


def wait_for_queries(env: Environment, service: Service, view: GenerationView) -> GenerationView:
    """The generation when it has ended; raises `GenerationFailed` where it failed."""
    with env.err.status("Reading ...") as shown, service.working_on("generate_queries", view.id):
        while not RunStatus(view.status).ended:
            time.sleep(POLL_SECONDS)
            view = service.send(queries.get_generation(view.id))
            shown.update(f"Reading ... {plural(view.report.queries, 'query', 'queries')} until now")
    if view.problem is not None:
        raise GenerationFailed(view.problem.detail)
    return view


_BROUGHT = (QueryOrigin.GIVEN, QueryOrigin.STATED, QueryOrigin.VOTES)


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
