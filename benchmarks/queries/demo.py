"""The demo corpus, of which the truth is known: estimates from its given queries and from generated ones."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import update

from api.demo.audit import Gold
from api.demo.corpus import load_corpus, true_reliability
from api.demo.load import PARAMETERS
from benchmarks.multisource.service import ServiceFailed, asked
from registry import estimation
from registry.inputs.answers import AnswerParameters
from registry.models import Corpus, EstimationRun, Query, QueryOrigin, RunStatus, Trigger
from registry.runtime import Runtime
from registry.store import estimations, queries
from registry.store.reliabilities import current_reliabilities


@dataclass(frozen=True, slots=True)
class Estimated:
    """An estimation, and how far it is from the truth."""

    queries: int
    correlation: float
    """Pearson's r of estimated and published reliability."""
    difference: float
    """Mean absolute difference of the two."""
    copy_groups: int
    topics: int


async def ids_of(runtime: Runtime, corpus: Corpus, origin: QueryOrigin) -> list[str]:
    """External ids of the queries of this origin, in order."""
    async with runtime.database.begin() as session:
        page = await queries.page(session, corpus, cursor=None, limit=200, origin=origin)
    return sorted(query.external_id for query in page.items)


def drawn(ids: Sequence[str], count: int, seed: int) -> list[str]:
    """So many of them, at random."""
    return random.Random(seed).sample(list(ids), min(count, len(ids)))


async def estimated(runtime: Runtime, corpus: Corpus, ids: Sequence[str]) -> Estimated:
    """The estimation from these queries alone; readings made before are taken again."""
    async with runtime.database.begin() as session:
        used = Query.external_id.in_(ids)
        await session.execute(update(Query).where(Query.corpus_id == corpus.id).values(active=used))
    run = await _finished(runtime, corpus)
    truth = true_reliability()
    async with runtime.database.begin() as session:
        reliabilities = await current_reliabilities(session, corpus)
    pairs = np.array(
        [
            (source.estimated, truth[source.external_id])
            for source in reliabilities.sources
            if source.estimated is not None
        ]
    )
    return Estimated(
        run.queries_total,
        float(np.corrcoef(pairs.T)[0, 1]),
        float(np.abs(pairs[:, 0] - pairs[:, 1]).mean()),
        len(run.voices),
        len(run.topics),
    )


async def right_answers(runtime: Runtime, corpus: Corpus) -> tuple[int, int]:
    """How many of the demo's queries and questions the service answers right by the current run, and of how many."""
    corpus_data = load_corpus()
    judged = [item for item in (*corpus_data.queries, *corpus_data.questions) if item.gold_answers]
    right = 0
    for item in judged:
        result, _ = await asked(runtime, corpus, item.text, AnswerParameters())
        right += len(result.answers) == 1 and Gold.of(item.text, item.gold_answers).accepts(result.answers[0])
    return right, len(judged)


async def _finished(runtime: Runtime, corpus: Corpus) -> EstimationRun:
    run = await estimation.start(runtime, corpus, PARAMETERS, Trigger.COMMAND)
    await estimation.run(runtime, run.id)
    async with runtime.database.begin() as session:
        ended = await estimations.get(session, corpus, run.id)
    if ended.status != RunStatus.SUCCEEDED:
        raise ServiceFailed(f"the estimation {ended.id} ended as {ended.status}: {ended.problem}")
    return ended
