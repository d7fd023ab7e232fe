"""Estimates of a corpus whose truth is known, from its given queries and from generated ones, and their widths."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import update

from api.demo.load import GENERATED, GIVEN
from benchmarks.multisource.service import finished
from registry.corpora.model import Corpus
from registry.estimations.model import EstimationRun
from registry.estimations.more_queries import QUERIES, of_sources
from registry.estimations.schemas import EstimationParameters
from registry.estimations.store.estimates import estimates_of
from registry.estimations.store.votes import mean_confidences
from registry.platform.enums import QueryOrigin
from registry.queries import store as queries
from registry.queries.model import Query
from registry.runtime import Runtime
from registry.sources.reliabilities import current_reliabilities

PARAMETERS: Mapping[QueryOrigin, EstimationParameters] = {QueryOrigin.GIVEN: GIVEN, QueryOrigin.GENERATED: GENERATED}


@dataclass(frozen=True, slots=True)
class Estimated:
    """An estimation, and how far it is from the truth."""

    queries: int
    correlation: float
    """Pearson's r of estimated and true reliability."""
    difference: float
    """Mean absolute difference of the two."""
    copy_groups: int
    topics: int
    width: float
    """Mean width of the intervals of sources with votes."""
    expected_width: float
    """The same as the run expects it with `QUERIES` more."""


@dataclass(frozen=True, slots=True)
class KnownCorpus:
    """A corpus and the true reliability of its sources, by name."""

    corpus: Corpus
    truth: Mapping[str, float]


async def ids_of(runtime: Runtime, corpus: Corpus, origin: QueryOrigin) -> list[str]:
    """External ids of the queries of this origin, in order."""
    async with runtime.database.begin() as session:
        page = await queries.page(session, corpus, cursor=None, limit=500, origin=origin)
    return sorted(query.external_id for query in page.items)


def drawn(ids: Sequence[str], count: int, seed: int) -> list[str]:
    """So many of them, at random; a larger draw of a seed holds the smaller one."""
    shuffled = list(ids)
    random.Random(seed).shuffle(shuffled)
    return shuffled[:count]


async def estimated(runtime: Runtime, known: KnownCorpus, origin: QueryOrigin, ids: Sequence[str]) -> Estimated:
    """The estimation from these queries alone, which starts from no other one."""
    corpus = known.corpus
    async with runtime.database.begin() as session:
        used = Query.external_id.in_(ids)
        await session.execute(update(Query).where(Query.corpus_id == corpus.id).values(active=used))
        await session.execute(update(EstimationRun).where(EstimationRun.corpus_id == corpus.id).values(state=None))
    run = await finished(runtime, corpus, PARAMETERS[origin])
    async with runtime.database.begin() as session:
        reliabilities = await current_reliabilities(session, corpus)
        rows = await estimates_of(session, run)
        more = of_sources(run, rows, await mean_confidences(session, run.id))
    pairs = np.array(
        [
            (source.estimated, known.truth[source.name])
            for source in reliabilities.sources
            if source.estimated is not None
        ]
    )
    return Estimated(
        run.queries_total,
        float(np.corrcoef(pairs.T)[0, 1]),
        float(np.abs(pairs[:, 0] - pairs[:, 1]).mean()),
        len(run.copy_groups),
        len(run.topics),
        more.width if more else np.nan,
        more.expected_width if more else np.nan,
    )


async def width_error(runtime: Runtime, known: KnownCorpus, origin: QueryOrigin, few: int, seed: int) -> float:
    """Measured mean width with `QUERIES` more queries of this origin than few, as a ratio to the expected one."""
    ids = await ids_of(runtime, known.corpus, origin)
    before = await estimated(runtime, known, origin, drawn(ids, few, seed))
    after = await estimated(runtime, known, origin, drawn(ids, few + QUERIES, seed))
    return after.width / before.expected_width
