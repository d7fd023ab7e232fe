"""How results are printed: JSON for programs; tables, bars and safe text for a person."""

import json
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from pydantic import BaseModel
from rich.console import Console
from rich.table import Table
from rich.text import Text

BAR_WIDTH = 12
ABSENT = "-"
EIGHTHS = " ▏▎▍▌▋▊▉"
# Embeddings and overrides of writing direction, with which a text could make what stands beside it read differently.
DIRECTION_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def clean(text: str) -> str:
    """Text from outside without what would steer the terminal."""
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    if character in "\n\t":
        return character
    hidden = unicodedata.category(character) in {"Cc", "Cs"} or character in DIRECTION_CONTROLS
    return "\N{REPLACEMENT CHARACTER}" if hidden else character


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


def shorten(text: str, limit: int) -> str:
    """Safe text on one line, of at most `limit` characters."""
    flat = " ".join(clean(text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def plural(count: int, noun: str, many: str | None = None) -> str:
    """`1 source`, `2 sources`, `1,000 sources`."""
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def print_table(console: Console, rows: Table, *, if_empty: str) -> None:
    """The table, or `if_empty` where it has no rows."""
    console.print(rows if rows.row_count else Text(if_empty, style="dim"))
