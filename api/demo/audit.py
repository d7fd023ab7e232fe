"""Compares an estimation with what is known of the demo, which is looked at here only, after everything is decided."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from answering.equivalence import ClassPolicy, answer_key
from api.demo.corpus import true_reliability
from registry.corpora.model import Corpus
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import Topic
from registry.evaluations.schemas import Evaluation, MethodScore
from registry.evaluations.service import evaluate
from registry.runtime import Runtime
from registry.sources.reliabilities import SourceReliability, current_reliabilities


@dataclass(frozen=True, slots=True)
class SourceAudit:
    """One source: its estimate, made without labels, and what labels say. Shares are in [0, 1]."""

    estimate: SourceReliability
    from_given: float | None
    """The estimate from the given queries instead of generated ones; None without votes on them."""
    votes_right: float | None
    """Share of its answers to the given queries that are right, reading errors included; None without answers."""
    published_right: float
    """Share of its statements that are right, as the corpus records it."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Estimates beside the published reliabilities of their sources."""

    correlation: float | None
    """Pearson's r; None where it does not exist."""
    largest_difference: float | None

    @classmethod
    def of(cls, pairs: Sequence[tuple[float | None, float]]) -> Self:
        """Compare estimates, which may be missing, with published reliabilities."""
        known = np.array([(estimated, published) for estimated, published in pairs if estimated is not None])
        if len(known) < 2:
            return cls(None, float(np.abs(np.diff(known)).max()) if known.size else None)
        correlation = float(np.corrcoef(known.T)[0, 1]) if known.std(axis=0).all() else None
        return cls(correlation, float(np.abs(np.diff(known)).max()))


@dataclass(frozen=True, slots=True)
class Audit:
    """The whole estimation beside the gold answers."""

    run: EstimationRun
    """The run on generated queries."""
    topics: tuple[Topic, ...]
    sources: tuple[SourceAudit, ...]
    queries: int
    """Given queries, which judge."""
    answered_right: int
    """Number of them that the service answers right by `run`."""
    conflicting: int
    """Number of them that the service leaves undecided, as their answers conflict."""
    majority_right: int
    """Number of them that a vote answers right in which all sources count the same."""

    @property
    def from_generated(self) -> Comparison:
        """The estimates of `run`."""
        return Comparison.of([(source.estimate.estimated, source.published_right) for source in self.sources])

    @property
    def from_given(self) -> Comparison:
        """Those of the run on given queries."""
        return Comparison.of([(source.from_given, source.published_right) for source in self.sources])


@dataclass(frozen=True, slots=True)
class Gold:
    """The classes of the right answers to a question."""

    question: str
    keys: frozenset[str]
    policy: ClassPolicy

    @classmethod
    def of(cls, question: str, answers: Sequence[str], policy: ClassPolicy = ClassPolicy.VALUES) -> Self:
        """Gold answers with these right answers."""
        return cls(question, frozenset(answer_key(answer, policy, question) for answer in answers), policy)

    def accepts(self, answer: str | None) -> bool:
        """Whether an answer is of the class of a right one."""
        return answer is not None and answer_key(answer, self.policy, self.question) in self.keys


async def audit(runtime: Runtime, corpus: Corpus, run: EstimationRun, given: EstimationRun) -> Audit:
    """Compare the current run, and one on the given queries, with gold answers."""
    evaluation = await evaluate(runtime, corpus)
    async with runtime.database.begin() as session:
        current = await current_reliabilities(session, corpus)
        rows = await estimations.sources_of(session, given)
    from_given = {row.source_id: row.reliability for row in rows if row.vote_count}
    shares = {source.source_id: source.gold.share for source in evaluation.sources}
    published = true_reliability()
    sources = [
        SourceAudit(
            source,
            from_given.get(source.source_id),
            shares.get(source.source_id),
            published[source.external_id],
        )
        for source in sorted(current.sources, key=lambda source: -(source.estimated or 0.0))
        if source.external_id in published
    ]
    selected = _score(evaluation, "selected")
    return Audit(
        run=run,
        topics=tuple(map(Topic.model_validate, run.topics)),
        sources=tuple(sources),
        queries=evaluation.queries,
        answered_right=selected.accuracy.right,
        conflicting=selected.conflicting or 0,
        majority_right=_score(evaluation, "majority").accuracy.right,
    )


def _score(evaluation: Evaluation, method: str) -> MethodScore:
    return next(score for score in evaluation.methods if score.name == method)
