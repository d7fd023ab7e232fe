"""Figures in words."""

from collections.abc import Sequence

from api.http.schemas.sources import ReliabilityView
from api.text import plural
from registry.results.copy_groups import Voice
from registry.store.estimations import SourceVote

ABSENT = "-"


def percent(share: float | None) -> str:
    """`86 %`, or a dash where there is none."""
    return ABSENT if share is None else f"{100 * share:.0f} %"


def signed_points(change: float | None) -> str:
    """A difference of two shares in percentage points, with its sign."""
    if change is None:
        return ABSENT
    points = round(100 * change)
    return f"{points:+d}" if points else "0"


def interval(lower: float | None, upper: float | None) -> str:
    """`79 to 92 %`, or nothing where there is none."""
    return "" if lower is None or upper is None else f"{100 * lower:.0f} to {100 * upper:.0f} %"


def score(reliability: ReliabilityView) -> list[str]:
    """How far a source can be trusted, and why, in sentences."""
    if reliability.estimation_id is None:
        estimate = ["Nothing has been estimated yet, so that nothing is known of this source."]
    elif reliability.estimated is None:
        prior = percent(reliability.prior)
        estimate = [f"The current run has no votes of this source: it counts like an unknown one, with {prior}."]
    else:
        estimate = [f"Of its answers about {_in_hundred(reliability.estimated)} are right, by {_basis(reliability)}."]
        if reliability.lower is not None and reliability.upper is not None:
            estimate.append(f"With a probability of 90 % it is {interval(reliability.lower, reliability.upper)}.")
    if reliability.override is not None:
        counts = percent(reliability.override.reliability)
        estimate.insert(0, f"An operator set its reliability: it counts with {counts}, whatever is estimated.")
    if reliability.rating is not None:
        rating = reliability.rating
        strength = plural(round(rating.strength), "vote")
        estimate.append(f"An outside list rates it at {percent(rating.rating)}, which counts as {strength}.")
    if reliability.turned_at is not None:
        estimate.append(f"It turned on {reliability.turned_at:%Y-%m-%d}: the estimate is that of the time since.")
    return estimate


def agreement(votes: Sequence[SourceVote]) -> str:
    """On how many queries a source voted, and how often for the answer that all votes together gave."""
    decided = [vote.agrees for vote in votes if vote.agrees is not None]
    voted = f"It voted on {len(decided):,} of {plural(len(votes), 'query', 'queries')}"
    return (
        f"{voted}, {sum(decided):,} times for the answer that the votes of all sources gave."
        if decided
        else voted + "."
    )


def copy_evidence(group: Voice) -> str:
    """Why the sources of a copy group count as one."""
    names = dict(zip(group.source_ids, group.source_names, strict=True))
    sentences = []
    if group.agreement is not None and group.explained is not None:
        sentences.append(
            f"Two of them agree on {percent(group.agreement)} of the disputed queries that both answer; independent "
            f"sources as reliable as they are would on {percent(group.explained)}."
        )
    shared, expected = f"{group.shared_wrong:.1f}", f"{group.expected:.1f}"
    sentences.append(f"They share {shared} probably wrong answers, where {expected} are expected by chance.")
    sentences.append(f"About {percent(group.copied_share)} of the answers of one are copied from the other.")
    if group.original_id is not None:
        sentences.append(f"By the dates of publication, the others take from {names[group.original_id]}.")
    return " ".join(sentences)


def _in_hundred(share: float) -> str:
    return f"{100 * share:.0f} in 100"


def _basis(reliability: ReliabilityView) -> str:
    return plural(reliability.vote_count, "vote") if reliability.vote_count else "its rating alone"
