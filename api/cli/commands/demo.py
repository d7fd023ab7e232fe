"""`credence demo`: the main job on the demo corpus, then the service on it."""

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Annotated

import typer

from api import processes
from api.cli.environment import Environment
from api.cli.following import progress_shown, require_success
from api.cli.options import command
from api.cli.reports.demo import print_audit, print_demo_answer, print_loaded, print_url, say_wrapped
from api.cli.schema import bring_up_to_date
from api.demo.audit import audit
from api.demo.corpus import Showcase, load_corpus
from api.demo.load import GENERATED, GIVEN, LoadedCorpus, ask, load_documents, load_queries
from api.http.schemas.base import EventView
from api.http.schemas.estimations import EstimationView
from api.logs import configure_logging
from api.sockets import listening_on
from api.text import plural
from registry.corpora.model import Corpus
from registry.estimations import service as estimation
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import EstimationParameters
from registry.events import store as events
from registry.platform.concurrency import run_concurrently
from registry.platform.database.paging import MAX_LIMIT
from registry.platform.enums import QueryOrigin, Trigger
from registry.platform.errors import SettingsError
from registry.platform.settings import Settings
from registry.queries import store as queries
from registry.query_generations import service as query_generation
from registry.query_generations.schemas import GenerationParameters
from registry.runtime import Runtime
from registry.sources.store.estimates import current_run

FOLDER = "demo"
EXAMPLES = 2


@command("demo", corpus=False, json=False)
def demo(
    env: Environment,
    once: Annotated[bool, typer.Option("--once", help="Stop after printing, instead of running the service.")] = False,
) -> None:
    settings = demo_settings(env.local_settings())

    async def run(listening: list[socket.socket]) -> None:
        async with env.open_runtime(settings) as runtime:
            await show(env, runtime)
            if not once:
                configure_logging(settings)
                announce = partial(print_url, env.out)
                await processes.serve(runtime, jobs=True, listening=listening, announce=announce)

    with ExitStack() as stack:
        sockets = [] if once else stack.enter_context(_listening(settings))
        bring_up_to_date(settings, env.print_note)
        asyncio.run(run(sockets))


async def show(env: Environment, runtime: Runtime) -> None:
    """Load, estimate, audit, ask; each step keeps what is there already and is printed when it is done.

    The queries of a person come when those of the documents are written, and judge only: the estimation that stays is
    from generated queries, and the one on the given ones is there to be compared with it.
    """
    started = time.perf_counter()
    loaded = await load_documents(runtime)
    corpus = loaded.corpus
    print_loaded(env.out, loaded, runtime.require_reader().name)
    runs = await _current_runs(runtime, loaded)
    if runs is None:
        say_wrapped(env.out, "Writing queries: facts that several sources state ...")
        await query_generation.run_now(runtime, corpus, GenerationParameters())
        await load_queries(runtime, corpus)
    async with runtime.database.begin() as session:
        page = await queries.page(session, corpus, cursor=None, limit=MAX_LIMIT, origin=QueryOrigin.GENERATED)
    written = plural(len(page.items), "query", "queries")
    examples = " ".join(query.text for query in page.items[:EXAMPLES])
    say_wrapped(env.out, f"{written} written from the documents, such as: {examples}")
    is_new = runs is None
    given, run = runs or [await estimate(env, runtime, corpus, parameters) for parameters in (GIVEN, GENERATED)]
    print_audit(env.out, await audit(runtime, corpus, run, given), is_new=is_new)
    for showcase in Showcase:
        print_demo_answer(env.out, await ask(runtime, corpus, load_corpus().showcase(showcase)))
    env.out.print(f"\nTotal time: {time.perf_counter() - started:.0f} s.")


async def _current_runs(runtime: Runtime, loaded: LoadedCorpus) -> tuple[EstimationRun, EstimationRun] | None:
    """The newest run on the given queries, and the current one; None if that was made otherwise than the demo does, or
    the documents changed, or the reader did.
    """
    if loaded.new_documents:
        return None
    async with runtime.database.begin() as session:
        given = await estimations.newest_of(session, loaded.corpus, QueryOrigin.GIVEN)
        run = await current_run(session, loaded.corpus)
    if given is None or run is None or run.gold_queries or run.parameters.get("origin") != QueryOrigin.GENERATED:
        return None
    return (given, run) if given.reader == run.reader == runtime.require_reader().name else None


async def estimate(
    env: Environment, runtime: Runtime, corpus: Corpus, parameters: EstimationParameters
) -> EstimationRun:
    """Estimate with these parameters; a run that an interrupted demo left is gone on with, or done before."""
    async with runtime.database.begin() as session:
        active = await estimations.active(session, corpus)
    if active is not None and EstimationParameters.model_validate(active.parameters) != parameters:
        await estimation.run(runtime, active.id)
        active = None
    run = active or await estimation.start(runtime, corpus, parameters, Trigger.COMMAND)
    with progress_shown(env.err) as show_event:

        async def follow() -> None:
            async for event in events.follow(runtime.database, run.id):
                show_event(EventView.model_validate(event))

        await run_concurrently(estimation.run(runtime, run.id), follow())
    async with runtime.database.begin() as session:
        ended = await estimations.get(session, corpus, run.id)
    require_success(EstimationView.of(ended))
    return ended


def demo_settings(settings: Settings) -> Settings:
    """The settings in the environment, with a data folder of the demo's own."""
    return settings.model_copy(update={"data_dir": settings.data_dir / FOLDER})


@contextmanager
def _listening(settings: Settings) -> Iterator[list[socket.socket]]:
    """The port of the settings, or any free one if it is in use and was not set."""
    with ExitStack() as stack:
        try:
            sockets = stack.enter_context(listening_on(settings.host, settings.port))
        except SettingsError:
            if "port" in settings.model_fields_set:
                raise
            sockets = stack.enter_context(listening_on(settings.host, 0))
        yield sockets
