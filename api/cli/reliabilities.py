"""Where the sources stand, as a table."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from api.cli.output import bar, cell, number, table
from registry.models import SourceStatus
from registry.standings import Standing

NUMBERS = ("reliability", "weight", "votes")
BAR_WIDTH = 8


def reliability_table(standings: Sequence[Standing]) -> Table:
    """The sources, the most reliable first; those of which nothing is known last."""
    made = table("source", "id", "", "reliability", "weight", "votes", "", right=NUMBERS, fixed=("id",))
    for one in sorted(standings, key=_rank):
        shown = number(one.reliability)
        made.add_row(
            cell(one.name),
            cell(one.external_id),
            bar(one.reliability, width=BAR_WIDTH),
            shown,
            number(one.weight),
            f"{one.vote_count:,}",
            _mark(one),
        )
    return made


def _rank(standing: Standing) -> tuple[bool, float, str]:
    return standing.reliability is None, -(standing.reliability or 0.0), standing.name


def _mark(standing: Standing) -> Text:
    """What is special about it: its status if it is not active, the override and what it hides."""
    notes = [] if standing.status == SourceStatus.ACTIVE else [str(standing.status)]
    if standing.override is not None:
        estimated = "" if standing.estimated is None else f", estimate {standing.estimated:.2f}"
        notes.append(f"set by {standing.override.created_by}{estimated}")
    return cell("; ".join(notes), "dim")
