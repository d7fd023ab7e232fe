"""Copy groups: looked for in the sample of the queries, and in the place of sources in the workers."""

from dataclasses import dataclass, replace

import numpy as np

from estimator.arrays.types import Integers
from estimator.copying.search import find_copies
from estimator.distributed.rounds import member_sums, one_coin
from estimator.distributed.summary import Grouping, VoteTotals
from estimator.distributed.workers import Driver
from estimator.methods.answers import SourceFit
from estimator.methods.group_members import member_figures
from estimator.methods.member import Options
from estimator.result import CopyGroup
from estimator.source_priors import SourcePriors


@dataclass(frozen=True, slots=True, eq=False)
class GroupedFit:
    """A fit to sources of which each copy group counts once; fields as in `Estimate`."""

    fit: SourceFit
    groups: Integers
    totals: VoteTotals
    """Totals of the groups."""
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
