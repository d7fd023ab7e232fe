"""What the sources say to a question: a walk over them, and the vote on what they said."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from answering.passages import RetrievedPassage
from answering.voting.certificate import Certificate, certify
from answering.voting.vote import Ballot, VoteResult, weighted_vote
from registry.answers import result_builder
from registry.answers.conflict_score import Composed
from registry.answers.context import Asking
from registry.answers.evidence import Walked
from registry.answers.selection import Vector, Walk
from registry.conflict_scores.documents import named_documents
from registry.errors import Conflict
from registry.results.answer import AnswerResult
from registry.store import passages
from registry.store.reliabilities import Reliabilities, SourceReliability, current_reliabilities
from registry.store.weights import Weights

# With more sources than this, the walk keeps to those in which a search over the whole corpus finds something.
MANY_SOURCES = 200
CANDIDATES = 200


@dataclass(frozen=True, slots=True)
class Poll:
    """What was heard from whom, and the answer of the weighted vote."""

    current: Reliabilities
    weights: Weights
    walked: Walked
    result: AnswerResult
    ballots: tuple[Ballot[UUID], ...]
    consulted: tuple[UUID, ...]
    """Whose documents a debate reads: the selected sources; where none of them answered, the most reliable and
    relevant ones of those that were read and whose vote would have counted, at most kappa."""

    @property
    def sources(self) -> Mapping[UUID, SourceReliability]:
        """All active sources."""
        return {one.source_id: one for one in self.current.sources}

    @property
    def selected(self) -> tuple[UUID, ...]:
        """In the order of the walk."""
        return tuple(one.source_id for one in self.result.selected_sources)

    @property
    def found(self) -> tuple[RetrievedPassage, ...]:
        """What the consulted sources were read from: the best passage of each, then the second best, and so on."""
        ranks = zip_longest(*(self.walked.heard[source_id].passages for source_id in self.consulted))
        return tuple(passage for rank in ranks for passage in rank if passage is not None)

    @property
    def vote(self) -> VoteResult[UUID]:
        """The vote itself."""
        return weighted_vote(self.ballots)

    @property
    def certificate(self) -> Certificate[UUID]:
        """What it would take to flip it."""
        return certify(self.ballots)

    def composed(self, result: AnswerResult | None = None, more: tuple[RetrievedPassage, ...] = ()) -> Composed:
        """This answer, or another one from the same sources, with what it can be held against."""
        library = named_documents((*self.found, *more), self.sources)
        return Composed(result or self.result, library, self.weights.default)


async def poll(asking: Asking) -> Poll:
    """Walk the sources and let those vote that have something to say. Raises `Conflict` where there is no source."""
    runtime, parameters = asking.runtime, asking.parameters
    vector: Vector = (await runtime.embedder.embed([asking.question]))[0]
    async with runtime.database.begin() as session:
        current = await current_reliabilities(session, asking.corpus)
        candidates = await _candidates(session, asking, vector, len(current.sources))
    if not current.sources:
        raise Conflict("This corpus has no active sources to ask. Register some and load their documents.")
    weights = Weights(current)
    relevance = candidates or {}
    by = parameters.rank_by
    ranked = [weights.ranked(one.source_id, relevance.get(one.source_id), by) for one in current.sources]
    if weights.shared:  # sources still to come may share the weight of those that lead
        parameters = parameters.model_copy(update={"stop_early": False})
    walk = Walk(runtime, asking.corpus, asking.question, vector, parameters.class_policy)
    walked = await walk.run(ranked, parameters, candidates)
    result = result_builder.answer_result(current, weights, walked, parameters, asking.seconds * 1000)
    ballots = tuple(result_builder.ballots_of(walked, weights, parameters))
    selected = tuple(ballot.source_id for ballot in ballots)
    kappa = parameters.kappa or runtime.settings.kappa
    return Poll(current, weights, walked, result, ballots, selected or _likeliest(walked, weights)[:kappa])


def _likeliest(walked: Walked, weights: Weights) -> tuple[UUID, ...]:
    """Sources that have something to read, those first that are reliable and near to the question."""
    read = {source_id: heard.relevance for source_id, heard in walked.heard.items() if heard.passages}
    trusted = [source_id for source_id in read if weights.weight(source_id) > 0]
    return tuple(sorted(trusted, key=lambda one: (-weights.reliability(one) * read[one], str(one))))


async def _candidates(session: AsyncSession, asking: Asking, vector: Vector, sources: int) -> dict[UUID, float] | None:
    """Sources in which one search over the corpus finds something, with their relevance; None is all of them."""
    chosen = asking.parameters.candidates_only
    wanted = sources > MANY_SOURCES if chosen is None else chosen
    if not wanted:
        return None
    return await passages.candidate_sources(session, asking.corpus, asking.question, vector, limit=CANDIDATES)
