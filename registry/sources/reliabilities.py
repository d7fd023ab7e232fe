"""Current reliabilities: an operator's override, else the estimate of the newest succeeded run."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import inf
from typing import Any, Self
from uuid import UUID

import numpy as np

from answering.voting import Electorate, Period, Voter
from estimator.methods import method_named
from estimator.policies import Doubt
from estimator.seniority import end_of_older_half
from registry.corpora.model import Corpus
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import QuestionTopic, TopicReliability
from registry.platform.database.base import AsyncSession
from registry.platform.enums import SourceStatus
from registry.sources import store as sources
from registry.sources.model import Override, Rating, registration_day
from registry.sources.schemas import ReliabilityPeriod
from registry.sources.store import estimates
from registry.sources.store.estimates import StoredEstimates, Totals

# The mean of Beta(6, 4), RA-RAG's distribution of reliabilities, and the 5th and 95th of its hundred parts: what counts
# before any estimation.
PRIOR_RELIABILITY, PRIOR_INTERVAL = 0.6, (0.345, 0.831)
# The method whose vote weights count before any estimation: that of RA-RAG.
PRIOR_METHOD = "iwmv"
# With fewer votes a source that came after the first run is new: liars on one question look right (web: 2 to 4 alike).
LEAST_VOTES = 3


# Not frozen: ten thousand are made for a page or question, and frozen ones take twice as long to make.
@dataclass(slots=True)
class SourceReliability:
    """The reliability of one source and where it comes from; None where no run has votes of the source."""

    source_id: UUID
    external_id: str
    name: str
    status: str
    reliability: float | None
    estimated: float | None
    lower: float | None
    """Lower end of the 90 % interval of the estimate; None too if the run kept none."""
    upper: float | None
    weight: float | None
    vote_count: int
    copy_group: int | None
    """Number of its copy group; None for an independent source."""
    override: Override | None
    rating: Rating | None = None
    """The rating of an outside list that the next estimation will use."""
    is_new: bool = False
    """Whether it was no source of the run, or came after the first run and has too few votes yet; no override."""
    turned_at: datetime | None = None
    """Start of its present period, if the source turned."""
    periods: tuple[ReliabilityPeriod, ...] = ()
    """All its periods, if it turned."""
    topics: tuple[TopicReliability, ...] = ()
    """Its reliability on every topic of the run."""
    agreement_count: int | None = None
    """Votes for the answers of the run; None in runs made before it was kept."""
    conflict_count: int | None = None
    """Votes on queries of which other sources gave other answers; None likewise."""
    misread_count: int | None = None
    """Votes that look misread; None where the run did not tell errors of the reader from those of sources."""
    read_share: float | None = None
    """Share of its votes that are what the source says; None likewise. `reliability` is then that of its statements."""
    sensitivity: float | None = None
    """Share of the true answers that it lists, where several may be true; None where no run has such votes of it."""
    specificity: float | None = None
    """Share of the false answers, that others list, which it does not list; None likewise."""
    overall_reliability: float | None = None
    """Over all topics, where `reliability` is that on the topic of a question; None otherwise."""
    systematic: float | None = None
    """Standard deviation of errors that sources share; None where a run has none."""
    created_at: datetime | None = None
    """Time of registration."""

    def on_topic(self, probabilities: Sequence[float]) -> Self:
        """The source with its estimate as expected over topics of these probabilities; an override stays, and a source
        that turned, which counts by its periods.
        """
        if not self.topics or not self.vote_count or self.periods:
            return self

        def expected(values: Iterable[float]) -> float:
            return sum(probability * value for probability, value in zip(probabilities, values, strict=True))

        estimated = expected(topic.reliability for topic in self.topics)
        return replace(
            self,
            reliability=self.reliability if self.override else estimated,
            estimated=estimated,
            lower=expected(topic.lower for topic in self.topics),
            upper=expected(topic.upper for topic in self.topics),
            weight=expected(topic.weight for topic in self.topics),
            overall_reliability=None if self.override else self.reliability,
        )

    @property
    def alarm(self) -> bool:
        """Whether the source turned and no operator has set its reliability."""
        return self.turned_at is not None and self.override is None

    @property
    def voter(self) -> Voter[UUID]:
        """The values from which the weights of votes are made."""
        if self.is_new:
            return Voter(self.source_id, None, is_new=True)
        overridden = self.override is not None
        # An operator rates the votes, whoever errs.
        read = None if overridden else self.read_share
        periods = tuple(Period(each.since, each.reliability, each.lower, each.upper) for each in self.periods)
        known = self.reliability, self.lower, self.upper, self.systematic or 0.0
        return Voter(self.source_id, *known, overridden, self.copy_group, self.is_new, periods, read)


@dataclass(frozen=True, slots=True)
class Reliabilities:
    """The sources of a corpus in the order of their creation, and the run that estimated them."""

    run: EstimationRun | None
    sources: tuple[SourceReliability, ...]
    topic: QuestionTopic | None = None
    """The topic of the question that they are for, used or not; None without one."""
    latecomers: frozenset[UUID] = frozenset()
    """Sources that came last, see `latecomers_of`."""
    totals: Totals | None = None
    """Of all active sources, where `sources` are some of these."""

    def on_topic(self, topic: QuestionTopic | None) -> "Reliabilities":
        if topic is None or not topic.used:
            return replace(self, topic=topic)
        on_it = tuple(source.on_topic(topic.probabilities) for source in self.sources)
        return replace(self, sources=on_it, topic=topic)

    def of_sources(self, source_ids: Collection[UUID] | None) -> "Reliabilities":
        """The reliabilities of these sources alone; of all for None."""
        if source_ids is None:
            return self
        kept = frozenset(source_ids)
        return replace(self, sources=tuple(source for source in self.sources if source.source_id in kept))

    def as_in_paper(self) -> Self:
        """The reliabilities where a source counts as any other whenever it came: RA-RAG has no rule for it."""
        sources = tuple(replace(source, is_new=False) for source in self.sources)
        return replace(self, sources=sources, latecomers=frozenset())

    def electorate(self, least_reliability: float = 0.0, *, yes_or_no: bool = False) -> Electorate[UUID]:
        """The weights of the votes of these sources on a question, by the method of the run."""
        run, prior, totals = self.run, self.prior, self.totals or self._totals()
        labels = 2 if yes_or_no else (run.labels if run else None) or max(totals.sources, 2)
        method = method_named((run.method if run else None) or PRIOR_METHOD)
        # Older runs kept no interval.
        ends = (run.prior_lower, run.prior_upper) if run else PRIOR_INTERVAL
        lower, upper = prior if ends[0] is None else ends[0], ends[1]
        voters: Iterable[Voter[UUID]] = (source.voter for source in self.sources)
        if run and run.joint_dissents:  # Members of copy groups are in the same one.
            groups = {source_id: ("joint dissent", number) for source_id, number in run.joint_dissent_of().items()}
            voters = (replace(voter, copy_group=groups.get(voter.id, voter.copy_group)) for voter in voters)
        if run and run.doubt and Doubt(run.doubt).is_of_order:
            voters = (replace(voter, lower=None, upper=None, systematic=0.0) for voter in voters)

        return Electorate(
            voters,
            prior=prior,
            prior_lower=lower,
            prior_upper=upper,
            prior_read_share=totals.read_share,
            labels=labels,
            weigh=method.vote_weight,
            # Those that no source voted on show nothing.
            queries=totals.most_votes if run else None,
            least_reliability=least_reliability,
            latecomers=self.latecomers,
        )

    def _totals(self) -> Totals:
        shares = [source.read_share for source in self.sources if source.read_share is not None and source.vote_count]
        most_votes = max((source.vote_count for source in self.sources), default=0)
        return Totals(len(self.sources), most_votes, sum(shares) / len(shares) if shares else None)

    @property
    def prior(self) -> float:
        """The reliability of a source that no estimate knows: the prior of the run, which older runs did not store,
        else the mean of its estimates.
        """
        if self.run is not None and self.run.prior is not None:
            return self.run.prior
        known = [source.reliability for source in self.sources if source.reliability is not None]
        return sum(known) / len(known) if self.run is not None and known else PRIOR_RELIABILITY

    @property
    def estimation_id(self) -> UUID | None:
        """Identifier of the run, if there is one."""
        return self.run.id if self.run else None


async def current_reliabilities(session: AsyncSession, corpus: Corpus) -> Reliabilities:
    """All active sources."""
    found = _of(await estimates.look_up(session, corpus, statuses=(SourceStatus.ACTIVE,)))
    return replace(found, latecomers=latecomers_of(found.sources))


def latecomers_of(sources: Sequence[SourceReliability]) -> frozenset[UUID]:
    """Those that came after the older half of the sources with votes, copies counting as one; none where all came on
    one day, and none that an operator has set a reliability of.
    """
    days = [None if source.created_at is None else registration_day(source.created_at) for source in sources]
    # By place, as hashes of the identifiers of all sources would take most of the time.
    came: dict[tuple[str, int], float] = {}
    for place, (source, day) in enumerate(zip(sources, days, strict=True)):
        if source.vote_count and day is not None:
            group = ("source", place) if source.copy_group is None else ("copies", source.copy_group)
            came[group] = min(came.get(group, inf), day)
    end = end_of_older_half(np.array(list(came.values()))) if came else inf
    return frozenset(
        source.source_id
        for source, day in zip(sources, days, strict=True)
        if day is not None and day > end and source.override is None
    )


async def of_source(session: AsyncSession, corpus: Corpus, source_id: UUID) -> Reliabilities:
    """One source; raises `NotFound`."""
    return await of_sources(session, corpus, [(await sources.get(session, corpus, source_id)).id])


async def of_sources(
    session: AsyncSession, corpus: Corpus, source_ids: Collection[UUID] | None = None
) -> Reliabilities:
    """These sources of the corpus, by default all whatever their status, in the order of their creation."""
    return _of(await estimates.look_up(session, corpus, source_ids=source_ids))


async def of_voters(session: AsyncSession, corpus: Corpus, source_ids: Collection[UUID]) -> Reliabilities:
    """These active sources, whose votes weigh as they do among all: where few vote, to load all takes most of the time.
    Only who came last is not told.
    """
    found = await of_sources(session, corpus, source_ids)
    return replace(found, totals=await estimates.totals(session, corpus, found.run))


def _of(found: StoredEstimates) -> Reliabilities:
    run, overrides, ratings = found.run, found.overrides, found.ratings
    # Most corpora have none of either, and a look-up in an empty dictionary hashes the identifier, too.
    known = (
        _source_reliability(
            values,
            run,
            overrides.get(values["source_id"]) if overrides else None,
            ratings.get(values["source_id"]) if ratings else None,
        )
        for values in found.sources
    )
    return Reliabilities(run, tuple(known))


def _source_reliability(
    values: dict[str, Any], run: EstimationRun | None, override: Override | None, rating: Rating | None
) -> SourceReliability:
    came_later, rating_used = values.pop("came_later"), values.pop("rating_used")
    reliability, vote_count = values["reliability"], values["vote_count"] or 0
    # The run gives a source without votes and rating the prior, which says nothing of this source.
    is_estimated = bool(vote_count) or rating_used is not None
    estimated = reliability if is_estimated else None
    knows_little = vote_count < LEAST_VOTES and rating_used is None
    # In place: a copy for each of many sources takes time.
    values["reliability"] = override.reliability if override else estimated
    if not is_estimated:
        values["lower"] = values["upper"] = None
    values["vote_count"] = vote_count
    values["periods"] = tuple(map(ReliabilityPeriod.model_validate, values["periods"])) if values["periods"] else ()
    values["topics"] = tuple(map(TopicReliability.model_validate, values["topics"])) if values["topics"] else ()
    return SourceReliability(
        **values,
        estimated=estimated,
        override=override,
        is_new=run is not None and override is None and (reliability is None or bool(came_later and knows_little)),
        rating=rating,
    )
