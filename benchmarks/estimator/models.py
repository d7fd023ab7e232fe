"""Per-query difficulty and averages of models beside `auto` on real sets: `python -m benchmarks.estimator.models`.

GLAD (Whitehill et al. 2009) is crowd-kit's, on sources and on the copy groups of `auto`. Averages are those of the
probabilities of three fits: one coin of sources, one coin of copy groups, and confusion matrices of these, where
queries share labels. They weigh by evidence (`exp` of the nats of the model, and of the groups by the likelihood of the
copy search), or all alike. GLAD has ten rounds, and of larger sets a regular part of the queries with a known
answer.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from benchmarks.data.real_sets import real_sets
from benchmarks.data.truth_sets import TruthSet
from benchmarks.estimator import BENCHMARK
from benchmarks.estimator.rivals import crowd_kit, rival_present, with_answers_by_place
from benchmarks.harness import Cell, Report, run
from benchmarks.harness.report import progress
from estimator import VoteMatrix, estimate
from estimator.copying.pairs import disputed_sample
from estimator.copying.search import estimated_truth, log_likelihood
from estimator.group_votes import collapse, group_votes
from estimator.methods.dawid_skene import ONE_COIN, Design, SharedLabels
from estimator.methods.group_members import member_estimates
from estimator.methods.member import Options
from estimator.votes import MOST_LABELS

_MOST_VOTES, _GLAD_ROUNDS = 16_000, 10
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def measure_models(report: Report) -> None:
    """A row for every set."""
    glad = crowd_kit("GLAD", n_iter=_GLAD_ROUNDS) if rival_present(report) else None
    precision, rows = dict[str, float](), list[list[Cell]]()
    for known in real_sets(report.options.data, flights_too=not report.options.quick):
        auto = estimate(known.votes, "auto")
        weights, probabilities = fits(known.votes, auto.groups)
        even = np.ones(weights.size) / weights.size
        precision = {"auto": known.precision(auto.answer)}
        for name, share in (("averaged by evidence", weights), ("averaged evenly", even)):
            precision[name] = known.precision(likeliest(known.votes, share @ probabilities))
        judged = part(known)
        of_part = auto if judged is known else estimate(judged.votes, "auto")
        precision["auto on the part"] = judged.precision(of_part.answer)
        if glad is not None:
            precision["GLAD"] = judged.precision(with_answers_by_place(glad, judged.votes))
            by_groups = with_answers_by_place(glad, collapse(judged.votes, of_part.groups)) if of_part.copies else None
            precision["GLAD of groups"] = precision["GLAD"] if by_groups is None else judged.precision(by_groups)
        for name, value in precision.items():
            report.figure(f"models.{known.name}.{name}", value)
        shares = ", ".join(f"{weight:.2f}" for weight in weights)
        counts = [f"{each.votes.vote_count:,}" for each in (known, judged)]
        rows.append([known.name, counts[0], *(f"{value:.3f}" for value in precision.values()), counts[1], shares])
        progress(f"{known.name}: {precision}")
    if not rows:
        report.rival_skipped("models of real sets", "no such set below the folder of data; name it with --data")
        return
    columns = ["set", "votes", *precision, "votes of the part", "weights: one coin, of groups, confusion"]
    report.table("Difficulty of queries, and averages of models: precision", columns, rows)


def part(known: TruthSet) -> TruthSet:
    """The set, or a regular part of the queries with a known answer."""
    votes = known.votes
    if votes.vote_count <= _MOST_VOTES:
        return known
    judged = np.isin(np.arange(votes.query_count), list(known.accepted))
    of_judged = np.isin(votes.class_query, np.flatnonzero(judged))
    step = -(-int(np.diff(votes.class_start)[of_judged].sum()) // _MOST_VOTES)
    chosen = judged & (np.cumsum(judged) % step == 0)
    accepted = {query: right for query, right in known.accepted.items() if chosen[query]}
    return replace(known, votes=votes.of_queries(chosen)[0], accepted=accepted)


def fits(votes: VoteMatrix, groups: Integers) -> tuple[Floats, Floats]:
    """Weights (F,) by evidence, and probabilities (F, C) of the classes: the fits differ in groups and models."""
    evidence, probabilities = [likelihood_of(votes, np.arange(groups.size))], [estimate(votes, "one_coin").posterior]
    collapsed = collapse(votes, groups)
    of_groups = likelihood_of(votes, groups)
    methods = ["one_coin"] + ["dawid_skene"] * (np.unique(votes.class_answer).size <= MOST_LABELS)
    for method in methods:
        fit = member_estimates(votes, groups, estimate(collapsed, method), None)
        probabilities.append(fit.posterior)
        evidence.append(of_groups)
    if len(methods) > 1:
        shared = SharedLabels.of(collapsed, Options())
        one_coin = shared.fit(Options(), Design(concentration=ONE_COIN))
        evidence[-1] += shared.best_fit(Options()).log_evidence - one_coin.log_evidence
    return np.asarray(softmax(evidence)), np.stack(probabilities)


def likelihood_of(votes: VoteMatrix, groups: Integers) -> float:
    """Log-likelihood of the disputed votes, if these groups copy."""
    sample, _ = disputed_sample(votes)
    counted = group_votes(sample, groups)
    return float(log_likelihood(sample, groups, *counted, estimated_truth(sample, *counted)[0]).sum())


def likeliest(votes: VoteMatrix, probability: Floats) -> Integers:
    """(M,) the likeliest answer of every query, given the probability (C,) of each class; -1 without votes."""
    answer = np.full(votes.query_count, -1)
    order = np.lexsort((probability, votes.class_query))
    answer[votes.class_query[order]] = votes.class_answer[order]
    return answer


if __name__ == "__main__":
    raise SystemExit(run(replace(BENCHMARK, name="estimator.models"), measure_models))
