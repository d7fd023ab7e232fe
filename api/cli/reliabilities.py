"""Where the sources stand, as a table."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from api.cli.output import ABSENT, bar, cell, number, table
from registry.estimation.copy_groups import Voice
from registry.models import SourceStatus
from registry.store.reliabilities import SourceReliability

NUMBERS = ("reliability", "90 %", "weight", "votes")
BAR_WIDTH = 8


def reliability_table(standings: Sequence[SourceReliability]) -> Table:
    """The sources, the most reliable first; those of which nothing is known last."""
    made = table("source", "id", "", "reliability", "90 %", "weight", "votes", "", right=NUMBERS, fixed=("id",))
    for one in sorted(standings, key=_rank):
        shown = number(one.reliability)
        made.add_row(
            cell(one.name),
            cell(one.external_id),
            bar(one.reliability, width=BAR_WIDTH),
            shown,
            interval(one.lower, one.upper),
            number(one.weight),
            f"{one.vote_count:,}",
            _mark(one),
        )
    return made


def interval(lower: float | None, upper: float | None) -> str:
    """Both ends."""
    return ABSENT if lower is None or upper is None else f"{lower:.2f}-{upper:.2f}"


def told(voice: Voice) -> str:
    """Who is one voice, and why."""
    names = dict(zip(voice.source_ids, voice.source_names, strict=True))
    original = f" They took from {names[voice.original_id]}." if voice.original_id else ""
    return (
        f"One voice: {', '.join(voice.source_names)}. Two of them share {voice.shared_wrong:.0f} wrong answers, where "
        f"{voice.expected:.0f} would be expected (log odds {voice.log_odds:.1f}).{original}"
    )


def _rank(standing: SourceReliability) -> tuple[bool, float, str]:
    return standing.reliability is None, -(standing.reliability or 0.0), standing.name


def _mark(standing: SourceReliability) -> Text:
    """What is special about it: its status if it is not active, the override and what it hides."""
    notes = [] if standing.status == SourceStatus.ACTIVE else [str(standing.status)]
    if standing.voice is not None:
        notes.append(f"voice {standing.voice + 1}")
    if standing.override is not None:
        estimated = "" if standing.estimated is None else f", estimate {standing.estimated:.2f}"
        notes.append(f"set by {standing.override.created_by}{estimated}")
    return cell("; ".join(notes), "dim")
