"""`estimate_files`: reliabilities of sources by votes in Parquet files, however many workers add them up."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np

from estimator.arrays.types import Floats, Integers
from estimator.copying.search import find_copies
from estimator.distributed.rounds import answer_rule, iwmv, majority, member_sums, one_coin, sample_posterior
from estimator.distributed.summary import Grouping, VoteTotals, sample_threshold
from estimator.distributed.values import listed
from estimator.distributed.vote_files import row_counts, write_answers
from estimator.distributed.workers import Driver, LocalWorkers, Progress, Workers
from estimator.errors import EstimatorError
from estimator.group_votes import group_votes
from estimator.identifiability import FLAT_INTERVAL, doubt_of, systematic_error
from estimator.methods import DEFAULT_METHOD
from estimator.methods.answers import SourceFit
from estimator.methods.group_members import member_figures
from estimator.methods.member import Options
from estimator.result import CopyGroup
from estimator.source_priors import SourcePriors
from estimator.votes import VoteMatrix


@dataclass(frozen=True, slots=True, eq=False)
class GroupedFit:
    """A fit to sources of which each copy group counts once; fields as in `Estimate`."""

    fit: SourceFit
    groups: Integers
    totals: VoteTotals
    copies: tuple[CopyGroup, ...] = ()
    reason: str = ""
    of_groups: SourceFit | None = None
    """The fit to the groups, where some have several members."""


def one_coin_by_groups(driver: Driver, totals: VoteTotals, options: Options) -> GroupedFit:
    """The one-coin model of votes in which each copy group counts once; every member is judged by its own votes."""
    (groups, copies), queries = find_copies(totals.sample), totals.sample.query_count
    if not copies:
        fit = one_coin(driver, totals, options)
        return GroupedFit(fit, groups, totals, (), f"no copies found in a sample of {queries:,} queries")
    grouping = Grouping(totals.numbering.sources, groups)
    grouped = totals.grouped(driver.group(grouping), groups)
    driver.lay_out(grouped.numbering, grouping)
    fit = one_coin(driver, grouped, options)
    sums = member_sums(driver, grouped, fit, totals.source_votes)
    own = member_figures(groups, fit, sums, SourcePriors.none(groups.size))
    members = replace(fit, reliability=own.reliability, weight=own.weight, lower=own.lower, upper=own.upper, state=None)
    count = int(np.sum([len(group.members) for group in copies]))
    reason = f"{count} sources that copy each other count as {len(copies)}, by a sample of {queries:,} queries"
    return GroupedFit(members, groups, grouped, copies, reason, fit)


_FITS: Final = {"majority": majority, "iwmv": iwmv, "one_coin": one_coin}
DISTRIBUTED_METHODS: Final = ("auto", *_FITS)
"""Names of the methods that can be fitted to files of votes; `auto` counts each copy group once."""
MakeWorkers: TypeAlias = Callable[[Sequence[str], Sequence[int], int], Workers]
"""Makes the workers, given the files, their rows, and the bytes that votes may take between rounds."""
DEFAULT_MEMORY: Final = 4 << 30
"""Bytes that the votes may take between rounds, of all workers together."""


@dataclass(frozen=True, slots=True, eq=False)
class SourceEstimates:
    """Reliabilities of the N sources of Parquet files."""

    sources: Sequence[int | str]
    """Identifiers, rising."""
    vote_count: Integers
    """(N,)"""
    fit: SourceFit
    """Reliabilities, intervals and weights (N,), and the prior; fields as in `Estimate`."""
    totals: Mapping[str, int]
    """Numbers of `votes`, `queries` and `classes`, different answers to all queries together."""
    groups: Integers
    """(N,) label of the source's copy group, from 0; all different where no copies were found or looked for."""
    copies: tuple[CopyGroup, ...] = ()
    """The copy groups of several sources, with their evidence in the sample."""
    reason: str = ""
    """The sources that count as one, and why the votes cannot tell reliabilities, in words."""
    systematic: Floats | None = None
    """(N,) as in `Estimate`, by the sample; None for methods that only count."""


def estimate_files(
    paths: Sequence[str],
    method: str = DEFAULT_METHOD,
    *,
    workers: MakeWorkers | None = None,
    memory: int = DEFAULT_MEMORY,
    options: Options | None = None,
    progress: Progress = lambda _stage, _done: None,
    answers: str | None = None,
) -> SourceEstimates:
    """Estimate how reliable the sources of votes in Parquet files are; `vote_files` says what these hold.

    `workers` makes those that add up the votes; without it, this process does. `memory` is what the votes may take
    between rounds, in bytes. `progress` is told how far it is. `answers` names a Parquet file into which the answers to
    all queries are written: file by file, in the order of the queries within one, with the columns of `answer_table`.

    Results are the same bits for any number of workers and for the same votes in other files. Options that are about
    more than votes, such as gold answers and topics, are ignored. Raises EstimatorError for an unknown method, for
    files that do not hold votes, and where answers cannot be written.
    """
    if method not in DISTRIBUTED_METHODS:
        raise EstimatorError(f"{method} cannot be fitted to files of votes; choose {', '.join(DISTRIBUTED_METHODS)}")
    if len(set(paths)) != len(paths) or not paths:
        raise EstimatorError("name one or more files of votes, none of them twice")
    rows = row_counts(paths)
    running: Workers = LocalWorkers(paths, memory) if workers is None else workers(paths, rows, memory)
    with closing(running):
        driver = Driver(running, progress)
        totals = VoteTotals.of(paths, driver.summaries(sample_threshold(sum(rows))))
        driver.lay_out(totals.numbering)
        options = options or Options()
        fitted = _fit(method, driver, totals, options)
        if answers is not None:
            rule = answer_rule(driver, fitted.totals, fitted.of_groups or fitted.fit, options)
            write_answers(answers, driver.answers(rule))
    found = doubt_of(totals.sample, fitted.fit.diagnostics)
    doubt = f"the votes cannot tell which sources are reliable: {found[1]}" if found else ""
    return SourceEstimates(
        sources=listed(totals.numbering.sources),
        vote_count=totals.source_votes,
        fit=_widened(fitted.fit) if found else fitted.fit,
        totals={"votes": totals.vote_count, "queries": totals.query_count, "classes": totals.class_count},
        groups=fitted.groups,
        copies=fitted.copies,
        reason="; ".join(filter(None, (doubt, fitted.reason))),
        systematic=_systematic(totals.sample, fitted),
    )


def _fit(method: str, driver: Driver, totals: VoteTotals, options: Options) -> GroupedFit:
    if method in _FITS:
        return GroupedFit(_FITS[method](driver, totals, options), np.arange(totals.source_votes.size), totals)
    return one_coin_by_groups(driver, totals, options)


def _systematic(sample: VoteMatrix, fitted: GroupedFit) -> Floats | None:
    """Like `identifiability.with_systematic`, given the sample of the sources."""
    state, groups = (fitted.of_groups or fitted.fit).state, fitted.groups
    if state is None:
        return None
    posterior = np.zeros(sample.class_count)
    posterior[np.unique(group_votes(sample, groups)[0])] = sample_posterior(fitted.totals, state)[1].right
    return systematic_error(sample, groups, posterior)


def _widened(fit: SourceFit) -> SourceFit:
    """Like `identifiability.widened`."""
    low, high = FLAT_INTERVAL
    return replace(fit, lower=np.minimum(fit.lower, low), upper=np.maximum(fit.upper, high))
