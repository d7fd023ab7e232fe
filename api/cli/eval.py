"""`credence eval`: what a few gold answers say of a corpus and of the estimate that was made without them."""

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from api.cli.eval_report import html_report
from api.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption
from api.cli.output import cell, number, plural, print_json, table
from api.cli.terminal import Terminal, terminal_of
from registry.errors import InvalidInput
from registry.evaluation.service import evaluate
from registry.models import Corpus
from registry.results.evaluation import Evaluation, Interval
from registry.runtime import Runtime

HtmlOption = Annotated[
    Path | None, typer.Option("--html", help="Write the whole report into this file, for a browser.", metavar="FILE")
]


def evaluate_corpus(
    ctx: typer.Context,
    html: HtmlOption = None,
    corpus: CorpusOption = DEFAULT_CORPUS,
    as_json: JsonOption = False,
) -> None:
    """Compare every method, the confidence and the estimated reliabilities with the gold answers of your queries."""
    terminal = terminal_of(ctx)
    if html is not None and not html.parent.is_dir():
        raise InvalidInput(f"There is no folder {str(html.parent)!r} to write the report into.")
    found = terminal.with_runtime(corpus, lambda runtime, owner: _evaluate(terminal, runtime, owner))
    if html is not None:
        html.write_text(html_report(found), encoding="utf-8")
    if as_json:
        print_json(found)
        return
    _print(terminal, found)
    if html is not None:
        terminal.out.print(Text(f"The whole report is in {html}."), soft_wrap=True)


async def _evaluate(terminal: Terminal, runtime: Runtime, corpus: Corpus) -> Evaluation:
    columns = (TextColumn("Reading"), BarColumn(bar_width=24), MofNCompleteColumn(), TextColumn("queries"))
    with Progress(*columns, console=terminal.err, transient=True) as progress:
        task = progress.add_task("reading", total=None)
        return await evaluate(
            runtime, corpus, progress=lambda done, total: progress.update(task, completed=done, total=total)
        )


def _print(terminal: Terminal, found: Evaluation) -> None:
    made = table("method", "right", "", "95 %", "answered", "readings", right=("right", "answered", "readings"))
    for one in found.methods:
        made.add_row(
            cell(one.name),
            number(one.accuracy.share, 3),
            cell(f"{one.accuracy.right} of {one.accuracy.of}"),
            cell(_range(one.accuracy)),
            str(one.answered),
            number(one.readings, 1),
        )
    terminal.out.print(made)
    rows = table("source", "estimated", "by gold", "95 %", "votes", "", right=("estimated", "by gold", "votes"))
    for source in found.sources:
        verdict = {True: "agrees", False: "differs", None: ""}[source.agrees]
        rows.add_row(
            cell(source.name),
            number(source.estimated),
            number(source.gold.share),
            cell(_range(source.gold)),
            str(source.votes),
            cell(verdict),
        )
    terminal.out.print(rows)
    terminal.out.print(Text(summary(found)), soft_wrap=True)


def summary(found: Evaluation) -> str:
    """The evaluation in a few sentences."""
    parts = [f"{plural(found.queries, 'query', 'queries')} with gold answers."]
    if found.correlation is not None:
        parts.append(f"Estimated and gold-based reliabilities correlate with r = {found.correlation:.2f}.")
    if found.mean_difference is not None:
        parts.append(f"They differ by {found.mean_difference:.2f} on average.")
    if found.calibration.expected_error is not None:
        parts.append(f"Confidence is off by {found.calibration.expected_error:.2f} on average.")
    return " ".join([*parts, *found.notes])


def _range(one: Interval) -> str:
    return f"{one.lower:.2f} to {one.upper:.2f}" if one.of else ""
