"""The job that writes queries from the documents of a corpus."""

from uuid import UUID

from registry.corpora.model import Corpus
from registry.job_kind import JobKind, Scheduling
from registry.platform.database.base import AsyncSession
from registry.query_generations import service as query_generation
from registry.query_generations import store
from registry.query_generations.schemas import GenerationParameters
from registry.runtime import Runtime


async def _create(session: AsyncSession, corpus: Corpus, parameters: GenerationParameters, schedule_id: UUID) -> UUID:
    return (await store.create(session, corpus, parameters, schedule_id)).id


async def _repeat(runtime: Runtime, corpus: Corpus, generation_id: UUID) -> None:
    async with runtime.database.begin() as session:
        generation = await store.get(session, corpus, generation_id)
    await query_generation.start(runtime, corpus, GenerationParameters.model_validate(generation.parameters))


KIND = JobKind(
    job=query_generation.JOB,
    summary="Writes queries from the documents of a corpus.",
    run=query_generation.run,
    unfinished=store.UNFINISHED,
    scheduling=Scheduling(GenerationParameters, _create),
    failed=store.FAILED,
    give_up=query_generation.fail,
    repeat=_repeat,
)
