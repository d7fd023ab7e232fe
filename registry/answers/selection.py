"""kappa-RRSS over the sources of a corpus: candidates found by one search, readings made batch by batch."""

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from answering.voting import SelectionSettings, VoteWeights, select_sources
from registry.answers.context import QuestionContext
from registry.answers.evidence import Evidence, weigh_evidence
from registry.errors import Conflict
from registry.inputs.answers import KappaCounts, RankBy
from registry.reading import SourceReader
from registry.store.passages import Vector, candidate_sources
from registry.store.reliabilities import current_reliabilities

# Above this number of sources only those are read in which a search over the whole corpus finds a passage.
MANY_SOURCES = 200
MAX_CANDIDATES = 200


async def gather_evidence(context: QuestionContext) -> Evidence:
    """Select the sources of a question, read them and count their vote.

    Raises `Conflict` if the corpus has no active source, and what `SourceReader.read` raises.
    """
    runtime, parameters = context.runtime, context.parameters
    vector: Vector = (await runtime.embedder.embed([context.question]))[0]
    async with runtime.database.begin() as session:
        reliabilities = await current_reliabilities(session, context.corpus)
        relevance = await _candidates(session, context, vector, len(reliabilities.sources))
    if not reliabilities.sources:
        raise Conflict("This corpus has no active sources to ask. Register some and load their documents.")
    weights = reliabilities.vote_weights()
    reader = SourceReader(runtime, context.corpus, parameters.class_policy)
    by_lower = parameters.rank_by is RankBy.LOWER_BOUND
    selection = await select_sources(
        [
            weights.candidate(source.source_id, (relevance or {}).get(source.source_id), by_lower=by_lower)
            for source in reliabilities.sources
        ],
        lambda source_ids: reader.read(context.question, vector, source_ids),
        _settings(context, weights),
        relevance,
    )
    return weigh_evidence(reliabilities, weights, selection, policy=parameters.class_policy, kappa=context.kappa)


def _settings(context: QuestionContext, weights: VoteWeights[UUID]) -> SelectionSettings:
    parameters = context.parameters
    return SelectionSettings(
        kappa=context.kappa,
        batch=parameters.batch,
        budget=parameters.max_readings,
        # Sources still to be read may share the weight of the leaders' copy groups, so that no lead is safe.
        stop_early=parameters.stop_early and not weights.has_copies,
        by_copy_group=parameters.kappa_counts is KappaCounts.VOICES,
    )


async def _candidates(
    session: AsyncSession, context: QuestionContext, vector: Vector, sources: int
) -> dict[UUID, float] | None:
    """Sources in which one search over the corpus finds a passage, with their relevance; None if all are candidates."""
    candidates_only = context.parameters.candidates_only
    if not (sources > MANY_SOURCES if candidates_only is None else candidates_only):
        return None
    return await candidate_sources(session, context.corpus, context.question, vector, limit=MAX_CANDIDATES)
