"""The one-coin estimate of votes of which few are new: only the queries with new votes are looked at.

Incremental EM (Neal & Hinton 1998, doi:10.1007/978-94-011-5014-9_12): what the other queries say of the sources is kept
as the last run left it. A run looks at all votes again when a twentieth of them came since, or when reliabilities move
too far for that to hold.
"""

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from estimator.arrays.types import Floats, Scalar, read_only
from estimator.arrays.vote_sums import VoteSums
from estimator.intervals import beta_from_information, expected_information
from estimator.methods.answers import by_probability
from estimator.methods.member import Options
from estimator.methods.one_coin import PROBABILITY_TOLERANCE, Fit, OneCoin, log_evidence_of_votes, source_fit
from estimator.prior import BetaPrior, beta_interval
from estimator.result import Estimate, FittedVotes, WarmStart
from estimator.source_priors import SourcePriors
from estimator.votes import Extension, VoteMatrix

_MOST_NEW: Final = 0.05
"""Share of the votes that may have come since all were looked at."""
_MOST_CHANGED: Final = 0.3
"""Share of the votes beyond which looking at the changed queries alone saves nothing."""
_MOST_MOVED: Final = 0.5
"""Standard errors by which the reliability of a source may move while its other votes are judged as before."""
_STILL: Final = 0.01
"""Part of its interval by which a reliability may move before the interval is computed anew."""


def estimate_increment(votes: VoteMatrix, options: Options) -> Estimate | None:
    """The estimate that follows `options.base`; None where all votes have to be looked at."""
    extension, base = votes.extension, options.base
    if base is None or base.state is None or base.state.fit is None or extension is None:
        return None
    if not _is_small(votes, extension, base.state.fit, options):
        return None
    return _Increment(votes, extension, base, base.state, base.state.fit).estimate(options)


def _is_small(votes: VoteMatrix, extension: Extension, fitted: FittedVotes, options: Options) -> bool:
    """Whether the votes follow those of the last run, and few are new and nothing else is."""
    only_votes = options.gold is None and options.source_priors is None and options.topics is None
    return (
        extension.base is fitted.identity
        and only_votes
        and options.ties is fitted.ties
        and extension.after.vote_count > 0
        and votes.vote_count - fitted.full_count <= _MOST_NEW * fitted.full_count
        and extension.after.vote_count <= _MOST_CHANGED * votes.vote_count
    )


class _Increment:
    """One run on the changed queries."""

    def __init__(
        self, votes: VoteMatrix, extension: Extension, base: Estimate, state: WarmStart, fitted: FittedVotes
    ) -> None:
        self.votes, self.extension, self.base, self.fitted = votes, extension, base, fitted
        missing = (0, votes.source_count - state.reliability.size)
        reliability = np.pad(state.reliability, missing, constant_values=state.newcomer)
        self.start = WarmStart(reliability, state.mixture, state.newcomer)
        before = OneCoin.of(extension.before.table())
        self.before = before.e_step(state.reliability, before.partitions.likelihood(state.mixture))
        self.rest = fitted.sums.combined(VoteSums.of(before.table, self.before.right), -1).padded(votes.source_count)
        self.before_queries = before.table.query.size

    def estimate(self, options: Options) -> Estimate | None:
        """The fit to the changed queries, with the others as pseudo-votes; None if a reliability moved too far."""
        table, rest = self.extension.after.table(), self.rest
        share = np.divide(rest.right, rest.votes, out=np.zeros_like(rest.right), where=rest.votes > 0)
        model = OneCoin.of(table, SourcePriors(share.clip(0.0, 1.0), rest.votes))
        fit = model.fit(options, self.start, keep_mixture=True)
        moved = np.abs(fit.state.reliability - self.start.reliability)
        if (moved > _MOST_MOVED * 0.5 / np.sqrt(np.maximum(rest.votes, 1)))[rest.votes > 0].any():
            return None
        sums = rest.combined(VoteSums.of(table, fit.posterior.right), 1)
        fitted = self._fitted(fit, sums, table.query.size, options)
        nobody = fitted.nobody / max(fitted.query_count, 1)
        log_evidence = fitted.log_total + log_evidence_of_votes(sums.votes, fit.state.reliability)
        fit = replace(fit, state=replace(fit.state, fit=fitted), log_evidence=log_evidence)
        sources = source_fit(fit, self._interval(fit, sums, fitted.inflation), {"nobody_right": nobody})
        changed = by_probability(
            self.extension.after, table, sources, fit.posterior.right, options.ties, PROBABILITY_TOLERANCE
        )
        return self._of_all_queries(changed, sums)

    def _fitted(self, fit: Fit[BetaPrior], sums: VoteSums, queries: int, options: Options) -> FittedVotes:
        last, inflation = self.fitted, np.ones(sums.votes.size)
        inflation[: last.inflation.size] = last.inflation
        return FittedVotes(
            identity=self.votes.identity,
            full_count=last.full_count,
            sums=sums,
            inflation=inflation,
            query_count=last.query_count - self.before_queries + queries,
            nobody=last.nobody + float(fit.posterior.nobody.sum() - self.before.nobody.sum()),
            log_total=last.log_total + fit.posterior.log_total - self.before.log_total,
            ties=options.ties,
            independent=last.independent and last.inflation.size == sums.votes.size,
        )

    def _interval(self, fit: Fit[BetaPrior], sums: VoteSums, inflation: Floats) -> tuple[Floats, Floats]:
        """Ends (N,), as they were for sources without new votes that hardly moved."""
        reliability, base = fit.state.reliability, self.base
        expected = expected_information(reliability, fit.prior, SourcePriors.none(reliability.size))
        beta = beta_from_information(reliability, (sums.observed_information(reliability) + expected) / inflation)
        lower, upper = (np.pad(ends, (0, reliability.size - ends.size)) for ends in (base.lower, base.upper))
        moved = np.abs(reliability - self.start.reliability) > _STILL * (upper - lower)
        anew = moved | (sums.votes != self.fitted.sums.padded(reliability.size).votes)
        lower[anew], upper[anew] = beta_interval(beta[0][anew], beta[1][anew])
        return lower, upper

    def _of_all_queries(self, changed: Estimate, sums: VoteSums) -> Estimate:
        """The estimate, with the answers to the other queries as they were."""
        base, is_changed = self.base, self.extension.changed

        def spread(new: NDArray[Scalar], old: NDArray[Scalar]) -> NDArray[Scalar]:
            values = new.copy()
            values[: old.size][~is_changed[: old.size]] = old[~is_changed[: old.size]]
            return read_only(values)

        of_changed = is_changed[self.votes.class_query]
        posterior = np.empty(of_changed.size)
        posterior[of_changed] = changed.posterior
        posterior[~of_changed] = base.posterior[~self.extension.replaced]
        return replace(
            changed,
            vote_count=read_only(sums.votes.astype(np.int64)),
            answer=spread(changed.answer, base.answer),
            lead=spread(changed.lead, base.lead),
            tied=spread(changed.tied, base.tied),
            confidence=spread(changed.confidence, base.confidence),
            posterior=read_only(posterior),
        )
