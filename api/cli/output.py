"""The output of results: JSON for programs; tables, bars and safe text for people."""

import json
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from pydantic import BaseModel
from rich.console import Console
from rich.table import Table
from rich.text import Text

from api.text import clean

BAR_WIDTH = 12
ABSENT = "-"
EIGHTHS = " ▏▎▍▌▋▊▉"


def cell(text: object, style: str = "") -> Text:
    """A table cell: one line of safe text, never markup."""
    return Text(" ".join(clean(str(text)).split()), style=style)


def print_json(value: BaseModel | dict[str, object]) -> None:
    """One JSON document on one line."""
    line = value.model_dump_json() if isinstance(value, BaseModel) else json.dumps(value, ensure_ascii=False)
    sys.stdout.write(line + "\n")


def print_lines(values: Iterable[BaseModel | dict[str, object]]) -> None:
    """NDJSON: one document a line."""
    for value in values:
        print_json(value)


def table(*columns: str, right: Sequence[str] = (), fixed: Sequence[str] = ()) -> Table:
    """A quiet table; columns named in `right` are numbers, those in `fixed` never wrap."""
    result = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim", caption_justify="left")
    for column in columns:
        numeric = column in right
        result.add_column(
            column,
            justify="right" if numeric else "left",
            no_wrap=numeric or column in fixed,
            overflow="ellipsis" if column in fixed else "fold",
        )
    return result


def bar(share: float | None, *, width: int = BAR_WIDTH, style: str = "") -> Text:
    """A share in [0, 1] as a bar of `width` characters, to an eighth of one."""
    if share is None:
        return Text("·" * width, style="dim")
    full, eighth = divmod(round(min(max(share, 0.0), 1.0) * width * 8), 8)
    drawn = "█" * full + (EIGHTHS[eighth] if eighth else "")
    return Text(drawn.ljust(width), style=style or color(share))


def color(share: float) -> str:
    """Green for what deserves trust, red for what does not."""
    return "green" if share >= 0.75 else "yellow" if share >= 0.5 else "red"


def number(value: float | None, digits: int = 2) -> Text:
    """A number, or a dash where there is none."""
    return Text(ABSENT, style="dim") if value is None else Text(f"{value:.{digits}f}")


def moment(time: datetime | None) -> Text:
    """A time to the minute, in UTC."""
    return Text(ABSENT, style="dim") if time is None else Text(f"{time.astimezone(UTC):%Y-%m-%d %H:%M}")


def print_table(console: Console, rows: Table, *, if_empty: str) -> None:
    """The table, or `if_empty` where it has no rows."""
    console.print(rows if rows.row_count else Text(if_empty, style="dim"))
