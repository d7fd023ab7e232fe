"""The output of results: JSON for programs; tables, bars and safe text for people."""

import json
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import UTC, datetime
from operator import attrgetter
from typing import TypeAlias, TypeVar
from uuid import UUID

from pydantic import BaseModel
from rich.console import Console
from rich.table import Table
from rich.text import Text

from api.text import clean

Item = TypeVar("Item")
# An attribute, or a function of an item.
Column: TypeAlias = str | Callable[[Item], object]
BAR_WIDTH = 12
ABSENT = "-"
EIGHTHS = " ▏▎▍▌▋▊▉"


def cell(text: object, style: str = "") -> Text:
    """A table cell: one line of safe text, never markup."""
    return Text(" ".join(clean(str(text)).split()), style=style)


def say(console: Console, *parts: str | Text | tuple[str, str], style: str = "") -> None:
    """Print a line of parts, each of which may have its own style, as safe text that the terminal wraps."""
    line = Text(style=style)
    for part in parts:
        text, own = (part, "") if isinstance(part, str | Text) else part
        line.append(text if isinstance(text, Text) else clean(text), own or None)
    console.print(line, soft_wrap=True)


def print_json(value: BaseModel | dict[str, object]) -> None:
    line = value.model_dump_json() if isinstance(value, BaseModel) else json.dumps(value, ensure_ascii=False)
    sys.stdout.write(line + "\n")


def print_lines(values: Iterable[BaseModel]) -> None:
    """NDJSON: one document a line."""
    for value in values:
        print_json(value)


def table(items: Iterable[Item], columns: Mapping[str, Column[Item]], *, fixed: Collection[str] = ()) -> Table:
    """A quiet table of the items.

    Numbers stand on the right. They, times, ids and the columns in `fixed` never wrap.
    """
    result = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    functions = [attrgetter(of) if isinstance(of, str) else of for of in columns.values()]
    rows = [[of(item) for of in functions] for item in items]
    for place, heading in enumerate(columns):
        values = [row[place] for row in rows]
        is_number = any(isinstance(value, int | float) for value in values)
        is_fixed = heading in fixed or any(isinstance(value, datetime | UUID) for value in values)
        result.add_column(
            Text(heading),
            justify="right" if is_number else "left",
            no_wrap=is_number or is_fixed,
            overflow="ellipsis" if is_fixed else "fold",
        )
    for row in rows:
        result.add_row(*map(shown, row))
    return result


def shown(value: object) -> Text:
    """A value as a cell: a dash for none, two digits of a fraction, a time to the minute, and text on a line."""
    if isinstance(value, Text):
        return value
    if value is None or isinstance(value, float):
        return number(value)
    if isinstance(value, datetime):
        return moment(value)
    if isinstance(value, list | tuple):
        return cell(", ".join(map(str, value)))
    return Text(f"{value:,}") if isinstance(value, int) else cell(value)


def bar(share: float | None, *, width: int = BAR_WIDTH) -> Text:
    """A share in [0, 1] as a bar of `width` characters, to an eighth of one."""
    if share is None:
        return Text("·" * width, style="dim")
    full, eighth = divmod(round(min(max(share, 0.0), 1.0) * width * 8), 8)
    drawn = "█" * full + (EIGHTHS[eighth] if eighth else "")
    return Text(drawn.ljust(width), style=color(share))


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
