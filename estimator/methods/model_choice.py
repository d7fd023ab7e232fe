"""Which model the votes are evidence for: open answers and one coin, or shared labels and class-conditional errors."""

from dataclasses import dataclass
from typing import Final

from estimator.arrays.vote_table import Ballot
from estimator.fixed_point import Limits
from estimator.methods.dawid_skene import MOST_LABELS, ONE_COIN, ConfusionFit, Design, SharedLabels
from estimator.votes import VoteMatrix

FEWEST_PER_CELL: Final = 5.0
"""The expected count under which a cell of a table says little: the usual rule for contingency tables."""
_KINDS: Final = (2, 4)
_SEEDS: Final = 2
# (K, T, G) numbers beyond which kinds are not tried: half a gigabyte.
_LARGEST: Final = 2e7


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """The class-conditional fit, where it is the better one, and why it is or is not, for a person."""

    fit: ConfusionFit | None
    reason: str


def choose(votes: VoteMatrix, ballot: Ballot, limits: Limits) -> Choice:
    """Compare evidence; names of labels count for something only if the class-conditional model can use them."""
    if not ballot.row.size or int(votes.class_answer.max()) >= 2**31 or _distinct(votes) > MOST_LABELS:
        return Choice(None, "bayes: the answers are open, queries do not share a small set of labels")
    shared = SharedLabels.of(votes, ballot)
    if shared.labels.size < 2:
        return Choice(None, "bayes: all votes name one and the same label")
    if shared.votes_per_cell < FEWEST_PER_CELL:
        return Choice(
            None,
            f"bayes: a source has {shared.votes_per_cell:.1f} votes for each of its {shared.labels.size}x"
            f"{shared.labels.size} chances, and fewer than {FEWEST_PER_CELL:.0f} tell little",
        )
    coin = shared.fit(limits, Design(closeness=ONE_COIN))
    fit = best_fit(shared, limits)
    gain = fit.evidence - coin.evidence
    if gain <= 0:
        return Choice(None, f"bayes: class-conditional errors explain the votes worse, by {-gain:.0f} nats")
    return Choice(fit, f"confusion: class-conditional errors explain the votes better, by {gain:.0f} nats")


def best_fit(shared: SharedLabels, limits: Limits) -> ConfusionFit:
    """The class-conditional fit with the most evidence, with queries of one kind or of several."""
    designs = [Design()]
    size = shared.ballot.query.size * shared.labels.size
    designs += [Design(kinds, seed) for kinds in _KINDS for seed in range(_SEEDS) if size * kinds <= _LARGEST]
    return max((shared.fit(limits, design) for design in designs), key=lambda fit: fit.evidence)


def _distinct(votes: VoteMatrix) -> int:
    answers = votes.class_answer[: 64 * MOST_LABELS]
    few = len(set(answers.tolist()))
    return few if few > MOST_LABELS else len(set(votes.class_answer.tolist()))
