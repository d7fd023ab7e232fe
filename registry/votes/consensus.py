"""The consensus of votes on a query, weighted by the reliabilities of the current estimation."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

from answering.equivalence import NO_JOINS, ClassPolicy, answer_key
from answering.readers.yes_no import MOST_CONFIDENT, asks_yes_or_no, is_judged
from answering.voting import CastVote, Count, Electorate, certify
from answering.voting.outcome import vote_outcome
from registry.corpora.model import Corpus
from registry.platform.database.base import AsyncSession
from registry.platform.enums import AnswerPolicy, QueryOrigin
from registry.platform.errors import InvalidInput
from registry.queries import store as queries
from registry.queries.store import joined_answers
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.reliabilities import Reliabilities, SourceReliability, current_reliabilities
from registry.viewers.model import ALL_SEEING, Viewer
from registry.votes import store
from registry.votes.numeric import SourceErrors
from registry.votes.schemas import CertificateView, Consensus, ConsensusSummary, ConsensusVoter, TallyEntry, VoteInput
from registry.votes.several import LINE, Listed, Rates
from registry.votes.store import Vote, VotedQuery

YES_OR_NO = frozenset(answer_key(answer, ClassPolicy.VALUES) for answer in ("yes", "no"))


def class_key(answer: str, query: VotedQuery | None) -> str:
    if query is None:
        return answer_key(answer, ClassPolicy.VALUES)
    return query.joins.key_of(answer, ClassPolicy.VALUES, question_of(query))


def question_of(query: VotedQuery) -> str | None:
    """The text of the query; None of one that came with votes, which is an item and no question, so that its text says
    nothing of what its answers mean.
    """
    return None if query.origin == QueryOrigin.VOTES else query.text


def is_yes_or_no(query: VotedQuery | None, keys: Collection[str]) -> bool:
    """Whether the query has two possible answers: by its text, or, if that says nothing, by the classes of all votes.

    >>> is_yes_or_no(None, ["text:yes", "text:no"]), is_yes_or_no(None, ["text:yes", "text:red"])
    (True, False)
    """
    question = question_of(query) if query else None
    return YES_OR_NO.issuperset(keys) if question is None else asks_yes_or_no(question)


# As of an answer: below it several answers are named as in conflict.
MIN_MARGIN = 0.05
LISTED = "The source {!r} lists answers; that needs the policy `several` of answers."


def _class_of(vote: Vote, query: VotedQuery | None) -> str:
    """The class of a vote: the run that gave it one may be older than what is joined."""
    if vote.answer_key is None or query is None:
        return vote.answer_key or class_key(vote.answer, query)
    return query.joins.joined(vote.answer_key, ClassPolicy.VALUES, question_of(query))


@dataclass(frozen=True, slots=True)
class Counter:
    """Counts votes by these reliabilities."""

    reliabilities: Reliabilities
    electorate: Electorate[UUID]
    sources: Mapping[UUID, SourceReliability]
    rates: Rates
    """Rates at which sources list answers, if several may be true."""
    errors: SourceErrors | None = None
    """Errors of sources; None until numbers are counted."""

    @classmethod
    def of(cls, reliabilities: Reliabilities) -> "Counter":
        """The counter of the sources of a corpus and their run."""
        by_id = {source.source_id: source for source in reliabilities.sources}
        return cls(reliabilities, reliabilities.electorate(), by_id, Rates.of(by_id))

    @classmethod
    async def load(cls, session: AsyncSession, corpus: Corpus) -> "Counter":
        """Load the counter of the active sources of a corpus and its current run."""
        return cls.of(await current_reliabilities(session, corpus))

    async def ready_for(self, session: AsyncSession, corpus: Corpus, policies: Collection[AnswerPolicy]) -> "Counter":
        """Load what counting votes on queries of these policies needs."""
        if AnswerPolicy.NUMBER not in policies or self.errors is not None:
            return self
        return replace(self, errors=await SourceErrors.load(session, corpus, list(self.sources)))

    def consensus(
        self,
        votes: Sequence[Vote],
        query: VotedQuery | None = None,
        *,
        policy: AnswerPolicy | None = None,
        unknown_sources: Sequence[str] = (),
    ) -> Consensus:
        """The consensus of the votes of those sources that are active, with all that it is made of; by the policy of
        the query, unless another is given.
        """
        policy = policy or (query.policy if query else AnswerPolicy.ONE)
        run = {"unknown_sources": tuple(unknown_sources), "estimation_id": self.reliabilities.estimation_id}
        if policy is AnswerPolicy.SEVERAL:
            listed = Listed.of(votes, partial(class_key, query=query), self.rates)
            return listed.consensus(query, self.rates, MIN_MARGIN).model_copy(update=run)
        count, most = self.count(votes, query), self._most_confident(votes, query)
        return Consensus(
            **self._summary(count, query, most).model_dump(exclude={"number"}),
            number=self.errors.consensus(votes) if self.errors and policy is AnswerPolicy.NUMBER else None,
            tally=tuple(
                TallyEntry.of(line, count.electorate, min(count.probabilities[line.key], most))
                for line in count.vote.tally
            ),
            voters=tuple(self._voters(count, {vote.source_id: vote for vote in votes})),
            certificate=CertificateView.of(certify(count.electorate, count.votes), count.vote.tally),
            **run,
        )

    def summarise(self, votes: Sequence[Vote], query: VotedQuery) -> ConsensusSummary:
        """The consensus of the votes of those sources that are active, in short."""
        if query.policy is AnswerPolicy.SEVERAL:
            found = self.consensus(votes, query)
            return ConsensusSummary(**{name: getattr(found, name) for name in ConsensusSummary.model_fields})
        summary = self._summary(self.count(votes, query), query, self._most_confident(votes, query))
        if self.errors is None or query.policy is not AnswerPolicy.NUMBER:
            return summary
        return summary.model_copy(update={"number": self.errors.summary(votes)})

    def _most_confident(self, votes: Sequence[Vote], query: VotedQuery | None) -> float:
        """The confidence of an answer if the compact judge decided between yes and no."""
        run = self.reliabilities.run
        if query is None or run is None or all(vote.imported for vote in votes):
            return 1.0
        return MOST_CONFIDENT if is_judged(query.text, run.reader or "") else 1.0

    @property
    def tells_yes_or_no(self) -> bool:
        """Whether queries for yes or no have two answers: RA-RAG weighs by the number of sources whatever is asked."""
        run = self.reliabilities.run
        return run is None or not run.by_paper

    def count(self, votes: Sequence[Vote], query: VotedQuery | None) -> Count[UUID]:
        return self.count_cast(self.cast(votes, query), query)

    def cast(self, votes: Sequence[Vote], query: VotedQuery | None) -> list[CastVote[UUID]]:
        """The votes of active sources, as they are cast."""
        return [
            CastVote(vote.source_id, _class_of(vote, query), vote.answer, vote.at, vote.reading_confidence)
            for vote in votes
            if vote.source_id in self.sources
        ]

    def count_cast(self, cast: Sequence[CastVote[UUID]], query: VotedQuery | None) -> Count[UUID]:
        """The same for votes that were cast."""
        yes_or_no = self.tells_yes_or_no and is_yes_or_no(query, {vote.answer_key for vote in cast})
        return (self.electorate.with_labels(2) if yes_or_no else self.electorate).count(cast)

    def _voters(self, count: Count[UUID], votes: Mapping[UUID, Vote]) -> Iterable[ConsensusVoter]:
        for ballot in sorted(count.ballots, key=lambda ballot: (-ballot.weight, str(ballot.source_id))):
            source, vote = self.sources[ballot.source_id], votes[ballot.source_id]
            yield ConsensusVoter(
                source_id=source.source_id,
                external_id=source.external_id,
                name=source.name,
                reliability=count.electorate.reliability(source.source_id) if source.periods else source.reliability,
                lower=None if source.periods else source.lower,
                upper=None if source.periods else source.upper,
                weight=ballot.weight,
                copy_group=source.copy_group,
                answer=ballot.answer,
                imported=vote.imported,
                at=vote.at,
                supports=ballot.answer_key == count.vote.winner,
            )

    def _summary(self, count: Count[UUID], query: VotedQuery | None, most: float) -> ConsensusSummary:
        return ConsensusSummary(
            query_id=query.id if query else None,
            query=query.external_id if query else None,
            text=query.text if query else None,
            outcome=vote_outcome(count.vote, retrieved=bool(count.votes), min_margin=MIN_MARGIN),
            answer=count.vote.answer,
            confidence=min(count.confidence, most),
            confidence_capped=count.is_capped and count.confidence <= most,
            margin=count.vote.margin,
            votes=len(count.votes),
        )


async def consensus_of_query(
    session: AsyncSession, corpus: Corpus, reference: str, viewer: Viewer = ALL_SEEING
) -> Consensus:
    """The consensus of the imported votes on a query, given by its external id or its id, and of those that the current
    run read in documents, all of which the viewer must see. Raises `NotFound`.
    """
    row = await queries.find(session, corpus, reference, viewer)
    joins = (await joined_answers.of_questions(session, corpus, [row.text])).get(row.text, NO_JOINS)
    query = VotedQuery.of(row, corpus)._replace(joins=joins)
    counter = await (await Counter.load(session, corpus)).ready_for(session, corpus, [query.policy])
    votes = await store.with_readings(session, [query.id], counter.reliabilities.estimation_id, viewer)
    return counter.consensus(votes.get(query.id, []), query)


async def consensus_of_votes(
    session: AsyncSession, corpus: Corpus, votes: Sequence[VoteInput], policy: AnswerPolicy | None = None
) -> Consensus:
    """The consensus of given votes on one query, by this policy or that of the corpus. Raises `InvalidInput` for two
    votes of one source, and for a list if one answer is right.
    """
    policy = policy or AnswerPolicy(corpus.answers)
    found = await sources.find_each(session, corpus, {vote.source for vote in votes})
    cast: dict[UUID, Vote] = {}
    for vote in votes:
        source = found[vote.source]
        if isinstance(source, Source):
            if source.id in cast:
                raise InvalidInput(f"The source {vote.source!r} votes twice.", field="votes")
            cast[source.id] = Vote(source.id, _text(vote, policy), vote.at)
    unknown = [reference for reference, source in found.items() if not isinstance(source, Source)]
    counter = await (await Counter.load(session, corpus)).ready_for(session, corpus, [policy])
    return counter.consensus(list(cast.values()), policy=policy, unknown_sources=unknown)


def _text(vote: VoteInput, policy: AnswerPolicy) -> str:
    if isinstance(vote.answer, str):
        return vote.answer
    if policy is not AnswerPolicy.SEVERAL:
        raise InvalidInput(LISTED.format(vote.source), field="votes")
    return LINE.join(vote.answer)
