"""Sources that dissent together count as one on the queries on which they do (`joint_dissent`).

Their votes there are those of one further source, which is judged by them alone; elsewhere they vote by themselves,
with the good name that they have. The reliability of a source is that of all its votes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from estimator.arrays.types import Floats, Integers, read_only
from estimator.group_votes import collapse
from estimator.joint_dissent import FoundDissent, dissenting_votes, find_dissent
from estimator.result import Estimate, JointDissent
from estimator.votes import VoteMatrix

Refit = Callable[[VoteMatrix, Integers, Integers], Estimate]
"""The estimate of parts (P,) of sources, given their votes, copy groups, and the source of each."""


def pooling_dissent(
    votes: VoteMatrix, groups: Integers, result: Estimate, refit: Refit, newer: FoundDissent | None = None
) -> Estimate:
    """The estimate in which groups that dissent together count once there; `result` itself where none does.

    `groups` (N,) are the copy groups of the result; `newer` are newer ones that turn what the older ones say, given
    which no others are looked for. Only estimates by one coin a source are looked at.
    """
    if result.method != "one_coin":
        return result
    topics = result.topics
    reliability = result.reliability[:, None] if topics is None else topics.reliability
    if votes.read is not None:
        # The reliability is that of what sources say; their votes are right less often.
        said = np.bincount(votes.source, votes.read, votes.source_count)
        counts = np.bincount(votes.source, minlength=votes.source_count)
        reliability = reliability * (said / np.maximum(counts, 1))[:, None]
    of_groups = np.zeros((int(groups.max(initial=-1)) + 1, reliability.shape[1]))
    np.add.at(of_groups, groups, np.nan_to_num(reliability))
    of_groups /= np.bincount(groups)[:, None]
    plausible = result.diagnostics["plausible_wrong_answers"]
    query_topic = None if topics is None else topics.topics.query_topic
    found = [newer] if newer else find_dissent(collapse(votes, groups), of_groups, plausible, query_topic)
    if not found:
        return result
    parts = _Parts.of(votes, groups, found)
    fit = refit(votes.of_sources(parts.part, parts.source.size), parts.groups, parts.source)
    dissents = tuple(
        JointDissent(
            tuple(np.flatnonzero(np.isin(groups, group.members)).tolist()),
            tuple(group.queries.tolist()),
            tuple(group.answers.tolist()),
            group.log_odds,
        )
        for group in found
    )
    return _merged(result, fit, parts, dissents, "that came later " if newer else "")


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """N sources, and further ones for what they say when they dissent together."""

    part: Integers
    """(V,) part of every vote."""
    source: Integers
    """(P,) source of every part; the first N are the sources."""
    groups: Integers
    """(P,) copy groups of the parts."""

    @staticmethod
    def of(votes: VoteMatrix, groups: Integers, found: Sequence[FoundDissent]) -> "_Parts":
        part, source, label = votes.source.astype(np.int64), [np.arange(groups.size)], [groups]
        for number, group in enumerate(found, start=int(groups.max(initial=-1)) + 1):
            members = np.flatnonzero(np.isin(groups, group.members))
            first = sum(map(len, source))
            cast = dissenting_votes(votes, members, group) & (part < groups.size)
            part[cast] = first + np.searchsorted(members, votes.source[cast])
            source.append(members)
            label.append(np.full(members.size, number))
        return _Parts(part, np.concatenate(source), np.concatenate(label))

    def mean(self, values: Floats, part_votes: Integers) -> Floats:
        """(N,) means over the votes of each source, given values and numbers of votes of the parts (P,)."""
        count = int(self.source.max(initial=-1)) + 1
        total = np.bincount(self.source, part_votes, count)
        mean = np.bincount(self.source, part_votes * values, count) / np.maximum(total, 1)
        return read_only(np.where(total > 0, mean, values[:count]))


def _merged(result: Estimate, fit: Estimate, parts: _Parts, dissents: tuple[JointDissent, ...], which: str) -> Estimate:
    """The estimate of the sources, from that of all parts; `which` sources dissent is told."""
    count, of_parts = result.reliability.size, fit.vote_count
    several = "a group" if len(dissents) == 1 else f"{len(dissents)} groups"
    names = sum(len(dissent.members) for dissent in dissents)
    queries = len({query for dissent in dissents for query in dissent.queries})
    said = f"{several} of {names} sources {which}in all dissent together on {queries} queries and count once there"
    return replace(
        fit,
        reliability=parts.mean(fit.reliability, of_parts),
        weight=parts.mean(fit.weight, of_parts),
        lower=parts.mean(fit.lower, of_parts),
        upper=parts.mean(fit.upper, of_parts),
        vote_count=result.vote_count,
        groups=result.groups,
        copies=result.copies,
        state=fit.state and replace(fit.state, reliability=fit.state.reliability[:count]),
        topics=fit.topics and fit.topics.of_first(count),
        reason=f"{result.reason}; {said}",
        dissents=dissents,
    )
