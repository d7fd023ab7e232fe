"""An evaluation as one HTML page that loads nothing: no script, no font, no style sheet."""

from collections.abc import Iterable, Sequence
from html import escape

from api.cli.reports.evaluation import VERDICTS, interval_text
from api.evaluation_plots import calibration_plot, sources_plot
from registry.evaluations.schemas import Calibration, Evaluation, QueryEvaluation, SourceEvaluation

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


def html_page(evaluation: Evaluation) -> str:
    """The whole page; all text of the evaluation is escaped."""
    title = f"Evaluation of {evaluation.corpus}"
    parts = [
        f"<h1>{escape(title)}</h1>",
        _facts(evaluation),
        *(f"<p><strong>{escape(note)}</strong></p>" for note in evaluation.notes),
        "<h2>How often is each method right?</h2>",
        _methods(evaluation),
        "<h2>How far can each source be trusted?</h2>",
        _sources_text(evaluation),
        sources_plot(evaluation.sources),
        _sources_table(evaluation.sources),
        "<h2>Can confidence be taken at its word?</h2>",
        _calibration_text(evaluation.calibration),
        calibration_plot(evaluation.calibration),
        "<h2>What went wrong</h2>",
        _mistakes(evaluation.mistakes),
    ]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body>\n" + "\n".join(parts) + "\n</body></html>\n"
    )


def _facts(evaluation: Evaluation) -> str:
    return (
        f"<p>{evaluation.queries} queries with gold answers, {len(evaluation.sources)} sources, "
        f"read by {escape(evaluation.reader)}, {evaluation.created_at:%Y-%m-%d %H:%M} UTC, "
        f"estimation {evaluation.estimation_id}. The estimate was made without these gold answers.</p>"
    )


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, marked: int | None = None) -> str:
    """A table; columns of numbers are aligned right."""
    cells = [list(row) for row in rows]
    classes = []
    for column, heading in enumerate(headings):
        values = [row[column] for row in cells]
        numeric = bool(values) and all(value.replace(".", "", 1).isdigit() or not value for value in values)
        classes.append(' class="n"' if numeric else ' class="i"' if "interval" in heading else "")
    head = "".join(f"<th{attribute}>{escape(name)}</th>" for attribute, name in zip(classes, headings, strict=True))
    body = "".join(
        ('<tr class="ours">' if index == marked else "<tr>")
        + "".join(f"<td{attribute}>{escape(text)}</td>" for attribute, text in zip(classes, row, strict=True))
        + "</tr>"
        for index, row in enumerate(cells)
    )
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _methods(evaluation: Evaluation) -> str:
    rows = [
        [
            method.name,
            method.description,
            _share(method.accuracy.share),
            interval_text(method.accuracy),
            str(method.answered),
            f"{method.readings:.1f}",
        ]
        for method in evaluation.methods
    ]
    return _table(["method", "what it does", "right", "95 % interval", "answered", "sources read"], rows, marked=0)


def _sources_text(evaluation: Evaluation) -> str:
    sentences = []
    if evaluation.correlation is not None:
        sentences.append(f"Pearson's r of estimated and gold-based reliability is {evaluation.correlation:.2f}.")
    if evaluation.mean_difference is not None:
        sentences.append(f"On average they differ by {evaluation.mean_difference:.2f}.")
    judged = [source for source in evaluation.sources if source.agrees is not None]
    sentences.append(
        f"{sum(bool(source.agrees) for source in judged)} of {len(judged)} estimates lie in the interval of the gold."
    )
    return f"<p>{' '.join(sentences)} A dot is the estimate, a bar the 95 % interval of what gold answers say.</p>"


def _sources_table(sources: Sequence[SourceEvaluation]) -> str:
    rows = [
        [
            source.name,
            _share(source.estimated) + (" (set by hand)" if source.overridden else ""),
            _share(source.gold.share),
            interval_text(source.gold),
            str(source.votes),
            "" if source.reader_errors is None else str(source.reader_errors),
            _share(source.statements.share if source.statements else None),
            VERDICTS[source.agrees],
        ]
        for source in sources
    ]
    return _table(["source", "estimated", "by gold", "95 % interval", "votes", "misread", "statements", ""], rows)


def _calibration_text(calibration: Calibration) -> str:
    if calibration.expected_error is None or calibration.brier is None:
        return "<p>No query got an answer.</p>"
    return (
        f"<p>Confidence is off by {calibration.expected_error:.2f} on average (expected calibration error); "
        f"Brier score {calibration.brier:.3f}. On the diagonal confidence is exact, below it is too high.</p>"
    )


def _mistakes(mistakes: Sequence[QueryEvaluation]) -> str:
    if not mistakes:
        return "<p>Nothing: every query was answered right.</p>"
    rows = [
        [
            query.text,
            query.answer or "no answer",
            "; ".join(query.gold_answers),
            f"{query.confidence:.2f}",
            f"{query.sources_right} of {query.sources_answered}",
        ]
        for query in mistakes
    ]
    return _table(["query", "answer", "gold", "confidence", "sources right"], rows)


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
