"""The result of an estimate: one frozen value, whatever the method."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from estimator.arrays.types import Flags, Floats, Indices, Integers, read_only
from estimator.arrays.vote_table import VoteTable
from estimator.policies import Doubt, StopReason
from estimator.prior import BetaPrior
from estimator.wrong_answers import WrongAnswerMixture

START_RELIABILITY: Final = 0.7
"""The reliability of sources before any vote: above chance, because the mirror image of the truth fits the votes as
well."""


@dataclass(frozen=True, slots=True, eq=False)
class WarmStart:
    """The end of a run of the one-coin model, from which a later one with more votes may start.

    >>> import numpy as np
    >>> WarmStart(np.array([0.9, 0.4])).newcomer
    0.7
    """

    reliability: Floats
    """(N,), NaN for a source that was not there."""
    mixture: WrongAnswerMixture = field(default_factory=WrongAnswerMixture.flat)
    newcomer: float = START_RELIABILITY
    """Start of sources that were not there: the mean of the prior."""


@dataclass(frozen=True, slots=True)
class CopyLink:
    """Two members of a copy group of which one probably copies the other, and the evidence for it."""

    first: int
    second: int
    log_odds: float
    """Log odds that one copies the other; 0 where it is rather not so and others hold the group together."""
    agreement: float
    """Share of the queries on which both vote the same, of the disputed ones that both have."""
    explained: float
    """Agreement that the reliabilities of the two explain."""
    overlap: float
    """Queries that both vote on, as a share of those that either votes on (Jaccard index)."""
    shared_wrong: float
    """Expected number of wrong answers that the two share."""
    expected: float
    """Number of answers that they would share if they were independent."""
    copied_share: float
    """Share of answers taken over, beyond those that agree anyway."""
    copier: int | None
    """The one that published later; None where the times of votes do not tell."""


@dataclass(frozen=True, slots=True)
class CopyGroup:
    """Sources that copy each other and count as one independent source on a query."""

    members: tuple[int, ...]
    """Numbers of the sources, rising."""
    links: tuple[CopyLink, ...]
    """The strongest links between them, the strongest first, at most `estimator.copying.search.MOST_LINKS`."""

    @property
    def original(self) -> int | None:
        """The member that the others copied; None where the times of votes do not tell."""
        known = [link for link in self.links if link.copier is not None]
        copied = {link.first + link.second - (link.copier or 0) for link in known}
        originals = copied - {link.copier for link in known}
        return originals.pop() if len(originals) == 1 else None


@dataclass(frozen=True, slots=True)
class JointDissent:
    """Sources that agree with each other where they leave the others, more often than their reliabilities allow.

    >>> JointDissent((7, 8), queries=(3, 5), answers=(1, 4), log_odds=12.0).members
    (7, 8)
    """

    members: tuple[int, ...]
    """Numbers of the sources, rising."""
    queries: tuple[int, ...]
    """The queries on which they do, rising; on these they count as one."""
    answers: tuple[int, ...]
    """Id of their answer to each of these queries."""
    log_odds: float
    """Log odds that they do not answer by themselves there."""


@dataclass(frozen=True, slots=True)
class Period:
    """A time in which a source had one reliability.

    >>> Period(0.0, 9.0, 0.9, 0.8, 0.95, 3.1, 40).log_odds is None
    True
    """

    start: float
    """Time of its first vote."""
    end: float
    """Time of its last vote."""
    reliability: float
    lower: float
    """Lower end of the 90 % credible interval."""
    upper: float
    weight: float
    vote_count: int
    log_odds: float | None = None
    """Log odds that the source turned at its start; None for the first period."""


@dataclass(frozen=True, slots=True)
class SourceHistory:
    """The periods of a source that turned, in the order of time; the last one is the present.

    >>> good, bad = Period(0.0, 9.0, 0.9, 0.8, 0.95, 3.1, 40), Period(10.0, 19.0, 0.1, 0.0, 0.2, -1.0, 30, log_odds=9.0)
    >>> SourceHistory(3, (good, bad)).fell
    True
    """

    source: int
    periods: tuple[Period, ...]

    @property
    def fell(self) -> bool:
        """Whether the last turn made it less reliable."""
        return self.periods[-1].reliability < self.periods[-2].reliability


@dataclass(frozen=True, slots=True, eq=False)
class Topics:
    """M queries in G topics, and where in the space of embeddings the topics lie."""

    query_topic: Indices
    """(M,) topic of every query; topics are numbered from the one with most queries on."""
    share: Floats
    """(T, G) probability that a query of a cluster belongs to a topic."""
    centroids: NDArray[np.float32] | None
    """(T, d) centre of every cluster, of length 1; None without embeddings."""
    cluster_size: Integers
    """(T,) queries of every cluster."""
    gain: float
    """Log-likelihood gained on votes held out, in nats."""

    @property
    def count(self) -> int:
        """G."""
        return int(self.share.shape[1])

    def cells(self, table: VoteTable) -> VoteTable:
        """The same votes with every pair of source and topic as a source: source i on topic g is number `g * N + i`."""
        topic = np.repeat(self.query_topic[table.query], table.query_votes())
        cell = topic * np.int32(table.source_count) + table.source
        return replace(table, source_count=self.count * table.source_count, source=cell)


@dataclass(frozen=True, slots=True, eq=False)
class TopicReliabilities:
    """Reliabilities of N sources on G topics; fields as in `Estimate`."""

    topics: Topics
    reliability: Floats
    """(N, G)"""
    weight: Floats
    """(N, G)"""
    lower: Floats
    """(N, G)"""
    upper: Floats
    """(N, G)"""
    vote_count: Integers
    """(N, G)"""

    def of_first(self, count: int) -> Self:
        """The first `count` of the sources."""
        return replace(
            self,
            reliability=read_only(self.reliability[:count].copy()),
            weight=read_only(self.weight[:count].copy()),
            lower=read_only(self.lower[:count].copy()),
            upper=read_only(self.upper[:count].copy()),
            vote_count=read_only(self.vote_count[:count].copy()),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """Reliabilities of N sources and answers to M queries. All arrays are read-only.

    >>> from estimator import estimate, from_records
    >>> named = from_records(["q1", "q1", "q1"], ["a", "b", "c"], ["Oslo", "Oslo", "Bergen"])
    >>> result = estimate(named.votes, "majority")
    >>> named.answers[result.answer[0]], result.reliability.tolist()
    ('Oslo', [1.0, 1.0, 0.0])
    """

    method: str
    """Name of the method that made it; never `auto`, which chooses another one."""
    reliability: Floats
    """(N,) estimated share of a source's votes that are right, in [0, 1], or NaN (`SilentSources.UNKNOWN`)."""
    weight: Floats
    """(N,) weight of the source's votes; below 0 for a source below chance (`NegativeWeights`)."""
    vote_count: Integers
    """(N,) number of votes of the source."""
    answer: Integers
    """(M,) id of the winning answer; -1 where nobody voted, or a tie has no winner (`TiePolicy.NO_ANSWER`)."""
    lead: Floats
    """(M,) by how much the winner leads, in [0, 1]; 0 for a tie and for a query without votes.

    For methods that count votes, the margin: the winner's weight less that of the runner-up (0 if there is none) over
    the sum of |weight| on the query, and 0 where that is negative. For `one_coin` and `dawid_skene`, the difference of
    the probabilities of these two.
    """
    tied: Flags
    """(M,) whether several answers were the heaviest, so that `TiePolicy` decided."""
    rounds: int
    """Number of times that answers and reliabilities were computed; 0 without votes."""
    converged: bool
    """Whether another round would change nothing; True for methods of one round."""
    stop_reason: StopReason
    """Reason to stop."""
    labels: int
    """L in `v_i = L * w_i - 1`; for `one_coin` and `dawid_skene` 1 more than the number of plausible wrong answers."""
    prior: BetaPrior
    """Distribution of the reliability of a source that has not voted."""
    lower: Floats
    """(N,) lower end of the 90 % credible interval of the reliability."""
    upper: Floats
    """(N,) upper end. Methods that count votes take their answers for right; `one_coin` and `dawid_skene` do not."""
    posterior: Floats
    """(C,) probability that a class of the votes is right, NaN for methods that only count. What is missing to 1 on a
    query is the probability that nobody gave the right answer."""
    confidence: Floats
    """(M,) probability of `answer`, 0 where there is none, NaN for methods that only count."""
    groups: Integers
    """(N,) label of the source's copy group, from 0; all different where no copies were found or looked for."""
    copies: tuple[CopyGroup, ...] = ()
    """The copy groups of several sources, with their evidence; only `auto` looks for them."""
    dissents: tuple[JointDissent, ...] = ()
    """The groups that dissent together, the likeliest first; only `auto` looks for them, where it takes `one_coin`."""
    histories: tuple[SourceHistory, ...] = ()
    """The sources that turned; `reliability`, its interval and `weight` are those of their last periods."""
    reason: str = ""
    """The reason why `auto` chose this method and these copy groups, and why the votes cannot tell reliabilities, in
    words."""
    diagnostics: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """Figures to judge the estimate by, such as the fitted prior and the log evidence."""
    systematic: Floats | None = None
    """(N,) standard deviation of what a reliability may be off by because sources share errors, which its interval
    leaves out (`identifiability.systematic_band`); None for methods that only count."""
    doubt: Doubt | None = None
    """The reason why the votes cannot tell reliabilities; None if they can."""
    turned: Floats | None = None
    """(M,) share of the separate runs, each on a third of the queries, that give a query another answer; None where
    none were made (`separate_runs`)."""
    topics: TopicReliabilities | None = None
    """Reliabilities by topic, for `one_coin` and `auto`; None where the votes do not speak for several topics."""
    state: WarmStart | None = None
    """The end of `one_coin`, from which the next run starts; None for other methods."""
    misread: Floats | None = None
    """(V,) probability that a vote is a misreading rather than what its source says; None where no vote may be, and for
    methods other than `one_coin`. `reliability` is then the share of a source's *statements* that are right."""
