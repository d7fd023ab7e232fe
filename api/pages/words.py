"""Figures in words."""

from api.text import plural

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


def votes(count: int) -> str:
    """`58 votes`."""
    return plural(count, "vote")
