"""The plots of an evaluation, as SVG elements that the styles of their page colour."""

from collections.abc import Sequence
from html import escape

from api.text import shorten
from registry.evaluations.schemas import Calibration, CalibrationBin, SourceEvaluation

WIDTH = 420
ROW = 26
MARGIN = 34
MOST_SOURCES = 60
_LEFT = 190


def sources_plot(sources: Sequence[SourceEvaluation]) -> str:
    """One row for each source: its estimate as a dot, the interval of its gold-based reliability as a bar."""
    shown = sources[:MOST_SOURCES]
    height = ROW * len(shown) + MARGIN
    lines = [_tick(tick / 4, height) for tick in range(5)]
    lines += [_source(source, ROW * index + ROW / 2) for index, source in enumerate(shown)]
    return _svg(_LEFT + WIDTH + 20, height, lines, "Estimated reliability of each source beside the gold-based one")


def _tick(value: float, height: int) -> str:
    at = _across(value)
    return (
        f'<line class="axis" x1="{at}" x2="{at}" y1="0" y2="{height - MARGIN + 6}"/>'
        f'<text x="{at}" y="{height - 10}" text-anchor="middle">{value:g}</text>'
    )


def _source(source: SourceEvaluation, at: float) -> str:
    elements = [f'<text x="{_LEFT - 10}" y="{at + 4:.0f}" text-anchor="end">{escape(shorten(source.name, 26))}</text>']
    if source.by_gold.of:
        low, high, share = (
            _across(value) for value in (source.by_gold.lower, source.by_gold.upper, source.by_gold.share or 0.0)
        )
        elements += [
            f'<line class="gold-line" x1="{low}" x2="{high}" y1="{at:.0f}" y2="{at:.0f}"/>',
            f'<rect class="gold-fill" x="{float(share) - 2:.1f}" y="{at - 6:.0f}" width="4" height="12"/>',
        ]
    if source.estimated is not None:
        elements.append(f'<circle class="ours-fill" cx="{_across(source.estimated)}" cy="{at:.0f}" r="5"/>')
    return "".join(elements)


def _across(value: float) -> str:
    return f"{_LEFT + WIDTH * value:.1f}"


_SIZE, _EDGE, _TOP = 300, 46, 10


def calibration_plot(calibration: Calibration) -> str:
    """Accuracy against confidence beside the diagonal: a dot with an interval for each bin; empty without answers."""
    if not calibration.bins:
        return ""
    right, bottom = _EDGE + _SIZE, _TOP + _SIZE
    lines = [
        f'<rect class="axis" x="{_EDGE}" y="{_TOP}" width="{_SIZE}" height="{_SIZE}" fill="none"/>',
        f'<line class="axis" x1="{_EDGE}" y1="{bottom}" x2="{right}" y2="{_TOP}"/>',
        f'<text x="{_EDGE + _SIZE / 2:.0f}" y="{bottom + 34}" text-anchor="middle">confidence</text>',
        f'<text x="{_EDGE - 8}" y="{_TOP + 4}" text-anchor="end">right</text>',
    ]
    for tick in range(5):
        value = tick / 4
        lines.append(f'<text x="{_x(value)}" y="{bottom + 16}" text-anchor="middle">{value:g}</text>')
        if value < 1:
            lines.append(f'<text x="{_EDGE - 6}" y="{_y(value)}" text-anchor="end">{value:g}</text>')
    return _svg(right + 20, bottom + 44, [*lines, *map(_bin, calibration.bins)], "Accuracy against confidence")


def _bin(calibration_bin: CalibrationBin) -> str:
    x, accuracy = _x(calibration_bin.confidence), calibration_bin.accuracy
    return (
        f'<line class="ours-line" x1="{x}" x2="{x}" y1="{_y(accuracy.lower)}" y2="{_y(accuracy.upper)}"/>'
        f'<circle class="ours-fill" cx="{x}" cy="{_y(accuracy.share or 0.0)}" r="5">'
        f"<title>{accuracy.right} of {accuracy.of} right</title></circle>"
    )


def _x(value: float) -> str:
    return f"{_EDGE + _SIZE * value:.1f}"


def _y(value: float) -> str:
    return f"{_TOP + _SIZE * (1 - value):.1f}"


def _svg(width: float, height: float, lines: Sequence[str], label: str) -> str:
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" role="img" aria-label="{escape(label)}">'
        + "".join(lines)
        + "</svg>"
    )
