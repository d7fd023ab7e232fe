"""What an estimate rests on beside the votes: where the last run ended, when documents were published, which passages
are near-duplicates, and, for audits alone, the gold answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from answering.equivalence import answer_key
from estimator import Estimate, Method, Mixture, State, Witness, estimate
from registry.errors import InvalidInput
from registry.estimation.near_duplicates import witness
from registry.inputs.estimations import EstimationParameters
from registry.models import Corpus, Query
from registry.models.base import Json
from registry.store import estimations
from registry.store.votes import NUMBERED, Tally, class_numbers, copied

Floats = NDArray[np.float64]

# To look for the answers in the documents of more votes than this takes longer than all the rest; who copied from
# whom is not said then.
DATED_VOTES = 100_000
# A vote is as old as the oldest document of those it was read from that holds its answer.
COPY_TIMES = f"""
    COPY (
        {NUMBERED}
        SELECT asked.number, heard.number, (extract(epoch FROM min(documents.published_at)) * 1000)::bigint
        FROM votes JOIN asked USING (query_id) JOIN heard USING (source_id)
        CROSS JOIN LATERAL jsonb_array_elements_text(votes.document_ids) AS read (document_id)
        JOIN documents ON documents.id = read.document_id::uuid
        WHERE votes.estimation_id = %(run)s AND votes.answer_key IS NOT NULL AND documents.published_at IS NOT NULL
              AND strpos(lower(documents.content), lower(votes.answer)) > 0
        GROUP BY asked.number, heard.number
    ) TO STDOUT (FORMAT binary)
"""  # noqa: S608  (our own words)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Everything that is known; None where there is nothing."""

    previous: State | None = None
    time: Floats | None = None
    """(V,) in the order of `votes.triples()`, NaN where unknown."""
    witness: Witness | None = None
    true_reliability: Floats | None = None


def compute(tally: Tally, parameters: EstimationParameters, evidence: Evidence) -> Estimate:
    """The estimate of a run's votes: arithmetic alone, for a thread of its own."""
    return estimate(
        tally.votes,
        parameters.method,
        labels=parameters.labels,
        ties=parameters.ties,
        negative_weights=parameters.negative_weights,
        max_rounds=parameters.max_rounds,
        previous=evidence.previous,
        time=evidence.time,
        witness=evidence.witness,
        true_reliability=evidence.true_reliability,
    )


async def gather(session: AsyncSession, corpus: Corpus, parameters: EstimationParameters, tally: Tally) -> Evidence:
    """What the method of a run can use. Raises `InvalidInput` for an audit without gold answers."""
    if parameters.method is Method.ORACLE:
        return Evidence(true_reliability=await _by_gold(session, corpus, parameters, tally))
    previous = await _last_state(session, corpus, tally.source_ids)
    if parameters.method is not Method.AUTO:
        return Evidence(previous=previous)
    return Evidence(previous, await _times(session, tally), await witness(session, tally))


def kept_state(found: Estimate) -> Json | None:
    """What a later run needs beside the reliabilities, to start from."""
    if found.state is None:
        return None
    mixture = found.state.mixture
    return {
        "uniform": mixture.uniform.tolist(),
        "ewens": mixture.ewens.tolist(),
        "newcomer": found.state.newcomer,
    }


async def _last_state(session: AsyncSession, corpus: Corpus, source_ids: Sequence[UUID]) -> State | None:
    run = await estimations.current(session, corpus)
    if run is None or run.state is None:
        return None
    known = {row.source_id: row.reliability for row in await estimations.sources_of(session, run)}
    reliability = np.array([known.get(source_id, np.nan) for source_id in source_ids])
    mixture = Mixture(np.array(run.state["uniform"]), np.array(run.state["ewens"]))
    return State(reliability, mixture, run.state["newcomer"])


async def _times(session: AsyncSession, tally: Tally) -> Floats | None:
    if not 0 < tally.votes.vote_count <= DATED_VOTES:
        return None
    query, source, milliseconds = await copied(session, COPY_TIMES, tally.names, columns=3)
    voted_query, voted_source, _ = tally.votes.triples()
    vote = voted_query * len(tally.source_ids) + voted_source
    dated = query * len(tally.source_ids) + source
    order = np.argsort(vote)
    time = np.full(vote.size, np.nan)
    time[order[np.searchsorted(vote[order], dated)]] = milliseconds
    return time


async def _by_gold(session: AsyncSession, corpus: Corpus, parameters: EstimationParameters, tally: Tally) -> Floats:
    """(N,) share of right votes on the queries with gold answers; the mean of all for a source without such votes."""
    rows = select(Query.id, Query.gold_answers).where(Query.corpus_id == corpus.id, Query.gold_answers.is_not(None))
    gold = {
        query_id: {answer_key(one, parameters.class_policy) for one in answers or ()}
        for query_id, answers in await session.execute(rows)
    }
    number = await class_numbers(session, tally, sorted(set().union(*gold.values())))
    right = [
        (place, number[key])
        for place, query_id in enumerate(tally.query_ids)
        for key in gold.get(query_id, ())
        if key in number
    ]
    asked = np.array([bool(gold.get(query_id)) for query_id in tally.query_ids])
    query, source, answer = tally.votes.triples()
    if not asked[query].any():
        raise InvalidInput("An audit by `oracle` needs votes on queries with gold answers, and there are none.")
    span = int(answer.max()) + 1
    verdict = np.isin(query * span + answer, [place * span + name for place, name in right])
    judged = np.bincount(source[asked[query]], minlength=len(tally.source_ids))
    agreed = np.bincount(source, verdict & asked[query], minlength=len(tally.source_ids))
    mean = agreed.sum() / judged.sum()
    shares: Floats = np.divide(agreed, judged, out=np.full(judged.size, mean), where=judged > 0)
    return shares
