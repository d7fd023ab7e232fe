"""Work that follows some time after the last change of documents: estimations, and first queries of a corpus."""

from datetime import UTC, datetime, timedelta

import structlog

from estimator.errors import CredenceError
from registry.corpora.model import Corpus
from registry.documents.store import CorpusChanges, changed_corpora, readings_of_day
from registry.estimations import service as estimation
from registry.estimations.store.collection import queries_to_read
from registry.platform.enums import RunStatus, Trigger
from registry.platform.errors import Conflict
from registry.query_generations import service as query_generation
from registry.query_generations.schemas import GenerationParameters
from registry.query_generations.store import FreshCorpus, fresh_corpora, newest
from registry.runtime import Runtime
from registry.sources.store.estimates import current_run

log = structlog.get_logger(__name__)

# Documents that never pause are followed after so many quiet times.
MOST_QUIET_TIMES = 10
# Most queries that are written from documents that came later, before the estimation that follows them, where the
# corpus has as many already as a first generation writes.
MORE_QUERIES = 20


async def follow_documents(runtime: Runtime, now: datetime | None = None) -> int:
    """Queue a run of every corpus whose documents or sources changed and came to rest, and queries of those without an
    estimate and queries of their own; returns how many. Where queries were written from documents before, some are
    written from the new ones first.

    A run repeats the parameters of the current one, save that the corpus says whether it uses gold answers; without a
    current one none begins by itself. A run that failed or was cancelled is not repeated before documents change
    again.
    """
    now, quiet = now or datetime.now(UTC), timedelta(seconds=runtime.settings.follow_seconds)
    async with runtime.database.begin() as session:
        changes = await changed_corpora(session)
        fresh = await fresh_corpora(session)
    begun = [await _begin(runtime, corpus.corpus) for corpus in fresh if _is_due(corpus, now, quiet)]
    return sum(begun) + sum([await _follow(runtime, change) for change in changes if _is_due(change, now, quiet)])


async def _begin(runtime: Runtime, corpus: Corpus) -> bool:
    """Write the first queries of a corpus, within the readings of a day, and estimate."""
    async with runtime.database.begin() as session:
        left = runtime.settings.follow_daily_readings - await readings_of_day(session, corpus)
    readings = min(GenerationParameters().max_readings, left)
    return readings > 0 and await _generate(runtime, corpus, GenerationParameters(max_readings=readings))


async def _generate(runtime: Runtime, corpus: Corpus, parameters: GenerationParameters) -> bool:
    """Queue a generation that an estimation follows."""
    try:
        generation = await query_generation.start(runtime, corpus, parameters.model_copy(update={"estimate": True}))
    except Conflict:  # somebody was faster
        return False
    except CredenceError as error:
        log.warning("queries_not_generated", corpus=corpus.name, why=error)
        return False
    log.info("queries_generated", corpus=corpus.name, generation_id=str(generation.id))
    return True


def _is_due(change: CorpusChanges | FreshCorpus, now: datetime, quiet: timedelta) -> bool:
    return now - change.last >= quiet or now - change.first >= MOST_QUIET_TIMES * quiet


async def _follow(runtime: Runtime, change: CorpusChanges) -> bool:
    async with runtime.database.begin() as session:
        corpus = await session.get_one(Corpus, change.corpus_id)
        current = await current_run(session, corpus)
        readings = await readings_of_day(session, corpus)
        generation = await newest(session, corpus)
        missing = GenerationParameters().queries - len(await queries_to_read(session, corpus))
    if current is None or (generation is not None and not RunStatus(generation.status).ended):
        return False
    if readings >= runtime.settings.follow_daily_readings:
        log.info(
            "documents_not_followed", corpus=corpus.name, readings=readings, setting="CREDENCE_FOLLOW_DAILY_READINGS"
        )
        return False
    if corpus.generate_queries and generation is not None and generation.created_at < change.last:
        bounds = {
            "queries": max(MORE_QUERIES, missing),
            "max_readings": runtime.settings.follow_daily_readings - readings,
        }
        return await _generate(runtime, corpus, GenerationParameters.model_validate(generation.parameters | bounds))
    try:
        run = await estimation.start(runtime, corpus, estimation.parameters_again(current), Trigger.DOCUMENTS)
    except Conflict:  # somebody was faster
        return False
    except CredenceError as error:
        log.warning("documents_not_followed", corpus=corpus.name, why=error)
        return False
    log.info("documents_followed", corpus=corpus.name, estimation_id=str(run.id))
    return True
