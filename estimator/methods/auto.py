"""Sources that copy count once; then the one-coin or the confusion-matrix model, whichever the votes support.

First looks for sources that copy each other (`copying.find_copies`). The votes of each copy group are collapsed into
one (`copying.groups`), the better model is fitted to what is left, and every member is judged by its own votes
against those answers (`copying.groups`). Sources that dissent together count as one where they do (`pooled_dissent`),
as do newer ones that turn most of what older ones say (`seniority`).
Without both the result is that of the model, to the last bit.

The confusion-matrix model needs queries that share a small set of labels, and five votes for each cell of a source's
matrix, the usual rule for contingency tables; then the evidence of the two models decides.

>>> from estimator import estimate, from_records
>>> named = from_records(["q1"] * 3 + ["q2"] * 2, ["a", "b", "c", "a", "b"], ["Oslo", "Oslo", "Rome", "x", "x"])
>>> result = estimate(named.votes, "auto")
>>> result.method, named.answers[result.answer[0]]
('one_coin', 'Oslo')
"""

from dataclasses import replace
from typing import Final

import numpy as np

from estimator.arrays.types import Integers
from estimator.copying.search import find_copies
from estimator.group_votes import collapse
from estimator.joint_dissent import FoundDissent
from estimator.methods.dawid_skene import ONE_COIN, Design, SharedLabels, from_fit
from estimator.methods.group_members import member_estimates
from estimator.methods.member import FEW_CHAINS, EstimationMethod, Options
from estimator.methods.one_coin import ONE_COIN_METHOD, estimate_one_coin
from estimator.methods.pooled_dissent import pooling_dissent
from estimator.result import CopyGroup, Estimate
from estimator.seniority import find_newer_dissent
from estimator.source_priors import SourcePriors
from estimator.topics.pooling import rate_members
from estimator.votes import MOST_LABELS, VoteMatrix
from estimator.weights import log_odds_weight

_FEWEST_PER_CELL: Final = 5.0
_PART_VOTES: Final = 200_000
"""Number of votes above which a part of them says whether confusion matrices gain anything."""
_PART_CELLS: Final = 20_000
"""Cells of the confusion matrices of that part."""


def estimate_auto(votes: VoteMatrix, options: Options) -> Estimate:
    """The better model of the votes in which each copy group counts once, with a reliability for every source."""
    if options.groups is not None:
        return _estimate_by_groups(votes, options.groups, (), options)
    groups, copies = find_copies(votes, time=options.time, prior_evidence=options.prior_evidence)
    result = _estimate_by_groups(votes, groups, copies, options)
    return replace(result, reason=f"{result.reason}; {_copies_found(copies)}")


def _copies_found(copies: tuple[CopyGroup, ...]) -> str:
    """The sources that counted as one, in a sentence."""
    if not copies:
        return "no copies found"
    count, noun = sum(len(group.members) for group in copies), "source" if len(copies) == 1 else "sources"
    strongest = max((group.links[0] for group in copies), key=lambda link: link.log_odds)
    return (
        f"{count} sources that copy each other count as {len(copies)} {noun}: two of them agree on "
        f"{strongest.agreement:.0%} of what both answer, where their reliabilities explain {strongest.explained:.0%}"
    )


def _estimate_by_groups(
    votes: VoteMatrix, groups: Integers, copies: tuple[CopyGroup, ...], options: Options
) -> Estimate:
    """The estimate of all members of the copy groups (N,), each group counting once, as does joint dissent."""
    result = _estimate_groups(votes, groups, copies, options)

    newer = _newer_dissent(votes, groups, result, options)

    def refit(parts: VoteMatrix, groups_of_parts: Integers, source: Integers) -> Estimate:
        start, priors = options.previous, options.source_priors
        start = start and replace(start, reliability=start.reliability[source])
        if newer is not None and newer.right is not None:
            # As many votes as it has itself: it agrees with the answers that it is found by.
            known = priors or SourcePriors.none(votes.source_count)
            priors = known.extended(source.size, newer.right, newer.queries.size)
        elif priors is not None:
            priors = priors.extended(source.size)
        return _estimate_groups(
            parts, groups_of_parts, copies, replace(options, time=None, previous=start, source_priors=priors)
        )

    return pooling_dissent(votes, groups, result, refit, newer)


def _newer_dissent(votes: VoteMatrix, groups: Integers, result: Estimate, options: Options) -> FoundDissent | None:
    """The copy groups that came later and turn most of what the others say; a group came with its first member."""
    if options.registered is None or result.method != "one_coin":
        return None
    registered = np.full(int(groups.max(initial=-1)) + 1, np.inf)
    np.minimum.at(registered, groups, options.registered)
    priors = options.source_priors and options.source_priors.grouped(groups)
    alone = replace(options, previous=None, time=None, source_priors=priors, most_chains=FEW_CHAINS)

    def refit(older: VoteMatrix) -> Estimate:
        return _one_coin(older, alone, "")

    return find_newer_dissent(collapse(votes, groups), registered, result.answer, refit, options.gold)


def _estimate_groups(votes: VoteMatrix, groups: Integers, copies: tuple[CopyGroup, ...], options: Options) -> Estimate:
    if int(groups.max(initial=-1)) + 1 == votes.source_count:
        return estimate_by_better_model(votes, options)
    start = options.previous
    if start is not None:
        start = replace(start, reliability=np.bincount(groups, start.reliability) / np.bincount(groups))
    priors = options.source_priors.grouped(groups) if options.source_priors else None
    options_of_groups = replace(options, previous=start, source_priors=priors)
    grouped = estimate_by_better_model(collapse(votes, groups), options_of_groups)
    result = member_estimates(votes, groups, grouped, options.source_priors)
    topics = rate_members(grouped.topics, votes.table(), result.posterior, options.source_priors)
    return replace(result, topics=topics, copies=copies)


def estimate_by_better_model(votes: VoteMatrix, options: Options) -> Estimate:
    """The estimate of the model with more evidence; its `reason` says why."""
    if not votes.vote_count or int(votes.class_answer.max()) >= 2**31 or _label_count(votes) > MOST_LABELS:
        return _one_coin(votes, options, "queries have open answers, not a few shared labels")
    labels = np.unique(votes.class_answer).size
    if labels < 2:
        return _one_coin(votes, options, "all votes are for the same label")
    per_cell = votes.vote_count / np.count_nonzero(np.bincount(votes.source)) / labels**2
    if per_cell < _FEWEST_PER_CELL:
        few = (
            f"a confusion matrix has {labels}x{labels} entries, with {per_cell:.1f} votes of a source for each; at "
            f"least {_FEWEST_PER_CELL:.0f} are needed"
        )
        return _one_coin(votes, options, few)
    if votes.vote_count > _PART_VOTES and _gain_of_part(votes, labels, options) <= 0:
        return _one_coin(votes, options, "confusion matrices explain a sample of the votes worse")
    shared = SharedLabels.of(votes, options)
    fit = shared.best_fit(options)
    gain = fit.log_evidence - shared.fit(options, Design(concentration=ONE_COIN)).log_evidence
    if gain <= 0:
        return _one_coin(votes, options, f"confusion matrices explain the votes worse, by {-gain:.0f} nats")
    reason = f"dawid_skene: confusion matrices explain the votes better, by {gain:.0f} nats"
    return replace(from_fit(votes, shared, fit, options), reason=reason)


def _gain_of_part(votes: VoteMatrix, labels: int, options: Options) -> float:
    """The nats by which confusion matrices explain a part of the votes better than one coin a source.

    Every second, third or further source, as long as a query keeps ten votes, and of these votes every second, third
    or further query.
    """
    votes_of_query = votes.vote_count // max(np.unique(votes.class_query).size, 1)
    source_step = max(min(votes.source_count * labels**2 // _PART_CELLS, votes_of_query // 10), 1)
    query_step = max(votes.vote_count // source_step // _PART_VOTES, 1)
    query, source, answer = votes.of_queries(np.arange(votes.query_count) % query_step == 0)[0].triples()
    kept = source % source_step == 0
    part = VoteMatrix.from_triples(
        query[kept],
        source[kept] // source_step,
        answer[kept],
        query_count=votes.query_count,
        source_count=-(-votes.source_count // source_step),
    )
    options_of_part = replace(options, source_priors=None)
    shared = SharedLabels.of(part, options_of_part)
    fits = [shared.fit(options_of_part, design) for design in (Design(), Design(concentration=ONE_COIN))]
    return fits[0].log_evidence - fits[1].log_evidence


def _one_coin(votes: VoteMatrix, options: Options, reason: str) -> Estimate:
    return replace(estimate_one_coin(votes, options), reason=f"one_coin: {reason}")


def _label_count(votes: VoteMatrix) -> int:
    """The number of different answer ids; of many classes, first of a part, which settles it for open answers."""
    part = len(set(votes.class_answer[: 64 * MOST_LABELS].tolist()))
    return part if part > MOST_LABELS else len(set(votes.class_answer.tolist()))


AUTO = EstimationMethod(
    name="auto",
    summary="finds copy groups, then chooses `one_coin` or `dawid_skene` by model evidence",
    estimate=estimate_auto,
    parameters=ONE_COIN_METHOD.parameters | {"prior_evidence", "registered"},
    cost="that of `one_coin` or `dawid_skene`, and a search over pairs of sources",
    vote_weight=log_odds_weight,
)
