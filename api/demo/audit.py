"""Compares an estimation with gold answers, which the demo uses here only, after everything is decided."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self
from uuid import UUID

import numpy as np

from answering.equivalence import ClassPolicy, answer_key
from api.demo.corpus import load_corpus, true_reliability
from estimator import estimate
from registry.database.paging import MAX_LIMIT
from registry.inputs.estimations import EstimationParameters
from registry.models import Corpus, EstimationRun, Source
from registry.results.topics import Topic
from registry.runtime import Runtime
from registry.store import estimations, queries
from registry.store.reliabilities import SourceReliability, current_reliabilities
from registry.store.votes import RunVotes, Wordings, class_wordings, load_votes


@dataclass(frozen=True, slots=True)
class SourceAudit:
    """One source: its estimate, made without labels, and what labels say. Shares are in [0, 1]."""

    estimate: SourceReliability
    votes_right: float | None
    """Share of its votes that are right by the gold answers, reading errors included; None without votes."""
    published_right: float
    """Share of its statements that are right, as the corpus records it."""
    published_by_topic: tuple[float | None, ...]
    """The same on every topic of the run; None on a topic of which it states nothing."""

    @property
    def is_specialist(self) -> bool:
        """Whether its reliability differs by topic: the 90 % intervals of two topics do not overlap."""
        topics = self.estimate.topics
        return bool(topics) and max(topic.lower for topic in topics) > min(topic.upper for topic in topics)


@dataclass(frozen=True, slots=True)
class Audit:
    """The whole estimation beside the gold answers."""

    run: EstimationRun
    topics: tuple[Topic, ...]
    sources: tuple[SourceAudit, ...]
    queries: int
    weighted_right: int
    majority_right: int

    @property
    def correlation(self) -> float | None:
        """Pearson's r of estimated and published reliability; None where it does not exist."""
        pairs = np.array(self._pairs())
        if len(pairs) < 2 or not pairs.std(axis=0).all():
            return None
        return float(np.corrcoef(pairs.T)[0, 1])

    @property
    def largest_difference(self) -> float | None:
        """The largest difference of estimated and published reliability."""
        return max((abs(estimated - published) for estimated, published in self._pairs()), default=None)

    def _pairs(self) -> list[tuple[float, float]]:
        estimates = ((source.estimate.estimated, source.published_right) for source in self.sources)
        return [(estimated, published) for estimated, published in estimates if estimated is not None]


@dataclass(frozen=True, slots=True)
class Gold:
    """The classes of the right answers to a question."""

    question: str
    keys: frozenset[str]
    policy: ClassPolicy

    @classmethod
    def of(cls, question: str, answers: Sequence[str], policy: ClassPolicy = ClassPolicy.VALUES) -> Self:
        """Of these right answers."""
        return cls(question, frozenset(answer_key(answer, policy, question) for answer in answers), policy)

    def accepts(self, answer: str | None) -> bool:
        """Whether an answer is of the class of a right one."""
        return answer is not None and answer_key(answer, self.policy, self.question) in self.keys


async def audit(runtime: Runtime, corpus: Corpus, run: EstimationRun, sources: Sequence[Source]) -> Audit:
    """Compare a run with gold answers."""
    policy = EstimationParameters.model_validate(run.parameters).class_policy
    source_ids = [source.id for source in sources]
    async with runtime.database.begin() as session:
        run_votes = await load_votes(session, run.id, source_ids)
        classes = run_votes.votes.class_query.astype(np.int64), run_votes.votes.class_answer
        answers = await class_wordings(session, run_votes, *classes)
        current = await current_reliabilities(session, corpus)
        query_page = await queries.page(session, corpus, cursor=None, limit=MAX_LIMIT)
        result_page = await estimations.queries_of(session, run, cursor=None, limit=MAX_LIMIT)
    gold = {
        query.id: Gold.of(query.text, query.gold_answers, policy) for query in query_page.items if query.gold_answers
    }
    weighted = {row.query_id: row.answer for row in result_page.items}
    judged = [query_id for query_id in run_votes.query_ids if query_id in gold]
    majority = _majority_answers(run_votes, answers)
    shares = _votes_right(run_votes, answers, gold)
    topics = tuple(map(Topic.model_validate, run.topics))
    return Audit(
        run=run,
        topics=topics,
        sources=_source_audits(current.sources, shares, topics),
        queries=len(judged),
        weighted_right=sum(gold[query_id].accepts(weighted.get(query_id)) for query_id in judged),
        majority_right=sum(gold[query_id].accepts(majority.get(query_id)) for query_id in judged),
    )


def _majority_answers(run_votes: RunVotes, answers: Wordings) -> dict[UUID, str | None]:
    """The answer of each query if every vote counted the same."""
    winners = estimate(run_votes.votes, "majority").answer.tolist()
    return {query_id: answers.get((index, winners[index])) for index, query_id in enumerate(run_votes.query_ids)}


def gold_of(external_id: str) -> Gold:
    """The right answers to a question that was held out of the estimation."""
    question = next(question for question in load_corpus().questions if question.external_id == external_id)
    return Gold.of(question.text, question.gold_answers)


def _votes_right(run_votes: RunVotes, answers: Wordings, gold: dict[UUID, Gold]) -> dict[UUID, float]:
    """Share of each source's votes on queries with gold answers that are right."""
    verdicts: defaultdict[UUID, list[bool]] = defaultdict(list)
    for query, source, answer in zip(*(column.tolist() for column in run_votes.votes.triples()), strict=True):
        right = gold.get(run_votes.query_ids[query])
        if right is not None:
            verdicts[run_votes.source_ids[source]].append(right.accepts(answers.get((query, answer))))
    return {source_id: sum(votes) / len(votes) for source_id, votes in verdicts.items()}


def _source_audits(
    estimates: Sequence[SourceReliability], shares: dict[UUID, float], topics: Sequence[Topic]
) -> tuple[SourceAudit, ...]:
    published = true_reliability()
    by_topic = [true_reliability(topic.names) for topic in topics]
    return tuple(
        SourceAudit(
            source,
            shares.get(source.source_id),
            published[source.external_id],
            tuple(shares_right.get(source.external_id) for shares_right in by_topic),
        )
        for source in sorted(estimates, key=lambda source: -(source.estimated or 0.0))
        if source.external_id in published
    )
