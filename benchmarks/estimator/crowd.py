"""Crowdsourced labels with gold: our methods and every method of crowd-kit that ends within the limit.

Methods of crowd-kit run in processes of their own, so that they can be stopped.
"""

from collections.abc import Sequence

from benchmarks.data.crowd import LabelledSet, load_crowd
from benchmarks.estimator.rivals import RIVALS, SLOW_RIVALS, estimated_within, rival_present
from benchmarks.harness import CannotMeasureError, Report
from estimator import estimate

SETS = ("rte", "trec", "web", "product", "sentiment", "zencrowd_us")
QUICK_SETS = ("zencrowd_us",)
OURS = ("majority", "wawa", "iwmv", "one_coin", "dawid_skene")
# GLAD and M-MSR take many minutes on large sets; a rival that takes longer than this is left out.
_LIMIT, _QUICK_LIMIT = 60.0, 6.0


def measure_crowd(report: Report) -> None:
    """A row for each set, a column for each method; the last column is the method that auto chose."""
    try:
        folder = report.folder("crowd")
    except CannotMeasureError as absent:
        report.rival_skipped("crowd sets", str(absent))
        return
    quick = report.options.quick
    rivals = [*RIVALS, *({} if quick else SLOW_RIVALS)] if rival_present(report) else []
    limit = _QUICK_LIMIT if quick else _LIMIT
    rows, behind = [], []
    for name in QUICK_SETS if quick else SETS:
        labelled = load_crowd(folder / name)
        chosen = estimate(labelled.votes, "auto")
        ours = {str(method): labelled.accuracy(estimate(labelled.votes, method).answer) for method in OURS}
        theirs = _rival_accuracies(labelled, rivals, limit)
        accuracies = ours | {"auto": labelled.accuracy(chosen.answer)} | theirs
        behind.append(max(theirs.values(), default=0.0) - accuracies["auto"])
        for method, accuracy in accuracies.items():
            report.figure(f"crowd.{name}.{method}", accuracy)
        cells = [
            f"{accuracies[method]:.4f}" if method in accuracies else f"over {limit:.0f} s"
            for method in (*OURS, "auto", *rivals)
        ]
        rows.append([name, f"{labelled.votes.vote_count:,}", *cells, chosen.method])
    if rivals:
        report.figure("crowd.auto_behind_best_rival", max(behind))
    columns = ["set", "votes", *OURS, "auto", *rivals, "auto chose"]
    report.table("Crowdsourced labels: accuracy against gold", columns, rows)


def _rival_accuracies(labelled: LabelledSet, rivals: Sequence[str], limit: float) -> dict[str, float]:
    """The accuracy of the rivals that end in `limit` seconds."""
    outputs = {name: estimated_within(limit, name, labelled.votes) for name in rivals}
    return {name: labelled.accuracy(output.answer) for name, output in outputs.items() if output is not None}
