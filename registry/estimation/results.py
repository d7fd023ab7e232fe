"""What a run found, written whole: a run's result is either there or not."""

from collections.abc import Sequence

import numpy as np
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession

from estimator import Estimate
from registry.estimation.copy_groups import voice_numbers, voices_of
from registry.estimation.evidence import kept_state
from registry.models import EstimationRun, RunQuery, RunSource, Source
from registry.store.votes import Tally, Wordings, wordings


async def write(
    session: AsyncSession, run: EstimationRun, sources: Sequence[Source], tally: Tally, found: Estimate
) -> None:
    """Sources, queries, and the run itself, in the caller's transaction."""
    session.add_all(_sources(run, sources, tally, found))
    said = await wordings(session, tally, np.arange(len(tally.query_ids)), found.answer)
    await session.execute(update(RunQuery), _queries(run, tally, found, said))
    run.method, run.reason, run.labels, run.rounds = found.method, found.reason or None, found.labels, found.rounds
    run.converged, run.stop_reason = found.converged, found.stop_reason
    run.prior, (run.prior_lower, run.prior_upper) = found.prior.mean, found.prior.interval()
    run.voices = [voice.model_dump(mode="json") for voice in voices_of(found, sources)]
    run.state = kept_state(found)


def _sources(run: EstimationRun, sources: Sequence[Source], tally: Tally, found: Estimate) -> list[RunSource]:
    voices = voice_numbers(found)
    return [
        RunSource(
            estimation_id=run.id,
            source_id=source.id,
            source_name=source.name,
            reliability=float(found.reliability[index]),
            lower=float(found.lower[index]),
            upper=float(found.upper[index]),
            weight=float(found.weight[index]),
            vote_count=int(found.vote_count[index]),
            abstention_count=tally.abstentions.get(source.id, 0),
            voice=voices.get(index),
        )
        for index, source in enumerate(sources)
    ]


def _queries(run: EstimationRun, tally: Tally, found: Estimate, said: Wordings) -> list[dict[str, object]]:
    return [
        {
            "estimation_id": run.id,
            "query_id": query_id,
            "answer": said.get((index, answer)),
            "margin": margin if answer >= 0 else None,
            "tied": tied,
        }
        for index, (query_id, answer, margin, tied) in enumerate(
            zip(tally.query_ids, found.answer.tolist(), found.margin.tolist(), found.tied.tolist(), strict=True)
        )
    ]
