"""An evaluation as one HTML file that needs nothing else: no script, no font, no network."""

from collections.abc import Iterable, Sequence
from html import escape

from api.cli.eval_plots import calibration_plot, sources_plot
from registry.results.evaluation import Calibration, Evaluation, Interval, QueryEvaluation, SourceEvaluation

_STYLE = """
:root { color-scheme: light dark; --ink: #1c1c1e; --soft: #6b6b70; --line: #d9d9de; --ours: #14805e; --gold: #a86b00;
  --paper: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --ink: #ececf0; --soft: #a0a0a8; --line: #3a3a40; --ours: #4cc79c;
  --gold: #e0a94a; --paper: #18181b; } }
* { box-sizing: border-box; }
body { margin: 2rem auto; max-width: 62rem; padding: 0 1.25rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2.2rem; }
p, .soft { color: var(--soft); } .scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .35rem 1.2rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; color: var(--soft); } td.n, th.n { text-align: right; } td.n, td.i { white-space: nowrap; }
tr.ours td { font-weight: 600; }
svg { max-width: 100%; height: auto; } svg text { fill: var(--soft); font: 12px system-ui, sans-serif; }
.axis { stroke: var(--line); } .ours-fill { fill: var(--ours); } .ours-line { stroke: var(--ours); fill: none; }
.gold-fill { fill: var(--gold); } .gold-line { stroke: var(--gold); stroke-width: 3; opacity: .55; }
"""


def html_report(found: Evaluation) -> str:
    """The whole page; everything that comes from outside is escaped."""
    title = f"Evaluation of {found.corpus}"
    parts = [
        f"<h1>{escape(title)}</h1>",
        _facts(found),
        *(f"<p><strong>{escape(note)}</strong></p>" for note in found.notes),
        "<h2>How often is each method right?</h2>",
        _methods(found),
        "<h2>How far can each source be trusted?</h2>",
        _sources_text(found),
        sources_plot(found.sources),
        _sources_table(found.sources),
        "<h2>Can confidence be taken at its word?</h2>",
        _calibration_text(found.calibration),
        calibration_plot(found.calibration),
        "<h2>What went wrong</h2>",
        _mistakes(found.mistakes),
    ]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body>\n" + "\n".join(parts) + "\n</body></html>\n"
    )


def _facts(found: Evaluation) -> str:
    return (
        f"<p>{found.queries} queries with gold answers, {len(found.sources)} sources, read by {escape(found.reader)}, "
        f"{found.created_at:%Y-%m-%d %H:%M} UTC, estimation {found.estimation_id}. "
        "The estimate was made without the gold answers.</p>"
    )


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, marked: int | None = None) -> str:
    """A table; columns from the second on that hold numbers stand right."""
    listed = [list(row) for row in rows]
    numeric = [
        bool(listed) and all(row[place].replace(".", "", 1).isdigit() or not row[place] for row in listed)
        for place in range(len(heads))
    ]
    classes = [
        ' class="n"' if one else ' class="i"' if "interval" in head else ""
        for one, head in zip(numeric, heads, strict=True)
    ]
    head = "".join(f"<th{one}>{escape(name)}</th>" for one, name in zip(classes, heads, strict=True))
    body = "".join(
        ('<tr class="ours">' if place == marked else "<tr>")
        + "".join(f"<td{one}>{escape(text)}</td>" for one, text in zip(classes, row, strict=True))
        + "</tr>"
        for place, row in enumerate(listed)
    )
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _methods(found: Evaluation) -> str:
    rows = [
        [
            one.name,
            one.description,
            _share(one.accuracy.share),
            _range(one.accuracy),
            str(one.answered),
            f"{one.readings:.1f}",
        ]
        for one in found.methods
    ]
    return _table(["method", "what it does", "right", "95 % interval", "answered", "sources read"], rows, marked=0)


def _sources_text(found: Evaluation) -> str:
    said = []
    if found.correlation is not None:
        said.append(f"Pearson's r of estimated and gold-based reliability is {found.correlation:.2f}.")
    if found.mean_difference is not None:
        said.append(f"On average they differ by {found.mean_difference:.2f}.")
    judged = [one for one in found.sources if one.agrees is not None]
    said.append(
        f"{sum(bool(one.agrees) for one in judged)} of {len(judged)} estimates lie in the interval of the gold."
    )
    return f"<p>{' '.join(said)} A dot is the estimate, a bar the 95 % interval of what gold answers say.</p>"


def _sources_table(sources: Sequence[SourceEvaluation]) -> str:
    verdicts = {True: "agrees", False: "differs", None: ""}
    rows = [
        [
            one.name,
            _share(one.estimated) + (" (set by hand)" if one.overridden else ""),
            _share(one.gold.share),
            _range(one.gold),
            str(one.votes),
            verdicts[one.agrees],
        ]
        for one in sources
    ]
    return _table(["source", "estimated", "by gold", "95 % interval", "votes", ""], rows)


def _calibration_text(found: Calibration) -> str:
    if found.expected_error is None or found.brier is None:
        return "<p>No query got an answer.</p>"
    return (
        f"<p>Confidence is off by {found.expected_error:.2f} on average (expected calibration error); Brier score "
        f"{found.brier:.3f}. On the diagonal confidence is exact, below it is too high.</p>"
    )


def _mistakes(found: Sequence[QueryEvaluation]) -> str:
    if not found:
        return "<p>Nothing: every query was answered right.</p>"
    rows = [
        [
            one.text,
            one.answer or "no answer",
            "; ".join(one.gold_answers),
            f"{one.confidence:.2f}",
            f"{one.sources_right} of {one.sources_answered}",
        ]
        for one in found
    ]
    return _table(["query", "answer", "gold", "confidence", "sources right"], rows)


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _range(one: Interval) -> str:
    return f"{one.lower:.2f} to {one.upper:.2f}" if one.of else ""
