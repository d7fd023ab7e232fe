"""The difference of two estimations on a terminal."""

from rich.console import Console
from rich.text import Text

from api.cli.output import cell, number, table
from api.cli.reports.estimation import interval
from api.http.schemas.differences import EstimationDifference, SourceEstimateView
from api.text import clean


def print_difference(console: Console, found: EstimationDifference) -> None:
    """Print the note on different settings, the settings, and the sources, the most changed first."""
    lines = [f"From run {found.before.number} to run {found.after.number}."]
    if found.note:
        lines.append(found.note)
        lines += [f"{setting.name}: {setting.before}, then {setting.after}" for setting in found.settings]
    console.print(Text("\n".join(map(clean, lines))), soft_wrap=True)
    rows = table("source", "before", "90 %", "after", "90 %", "change", "", right=("before", "after", "change"))
    for source in found.sources:
        change = "" if source.change is None else f"{source.change:+.2f}"
        regrouped = "copy group changed" if source.was_regrouped else ""
        rows.add_row(cell(source.source_name), *_cells(source.before), *_cells(source.after), change, regrouped)
    console.print(rows)


def _cells(found: SourceEstimateView | None) -> tuple[Text, str]:
    return (number(found.reliability), interval(found.lower, found.upper)) if found else (number(None), "")
