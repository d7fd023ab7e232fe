"""An evaluation at a terminal: a table of the methods, one of the sources, and a summary."""

from rich.console import Console

from api.cli.output import number, say, table
from api.text import plural
from registry.evaluations.schemas import Evaluation, Interval

_VERDICTS = {True: "agrees", False: "differs", None: ""}


def print_evaluation(console: Console, evaluation: Evaluation) -> None:
    """The whole evaluation."""
    methods = table(
        evaluation.methods,
        {
            "method": "name",
            "right": lambda method: number(method.accuracy.share, 3),
            "": lambda method: f"{method.accuracy.right} of {method.accuracy.of}",
            "95 %": lambda method: _interval(method.accuracy),
            "answered": "answered",
            "conflicting": "conflicting",
            "readings": "readings",
        },
    )
    console.print(methods)
    sources = table(
        evaluation.sources,
        {
            "source": "name",
            "estimated": "estimated",
            "by gold": "gold.share",
            "95 %": lambda source: _interval(source.gold),
            "votes": "votes",
            "misread": "reader_errors",
            "statements": lambda source: source.statements.share if source.statements else None,
            "": lambda source: _VERDICTS[source.agrees],
        },
    )
    console.print(sources)
    say(console, _summary(evaluation))


def _interval(interval: Interval) -> str:
    """Both ends of an interval; empty where nothing was counted."""
    return f"{interval.lower:.2f} to {interval.upper:.2f}" if interval.of else ""


def _summary(evaluation: Evaluation) -> str:
    sentences = [f"{plural(evaluation.queries, 'query', 'queries')} with gold answers."]
    if evaluation.correlation is not None:
        sentences.append(f"Estimated and gold-based reliabilities correlate with r = {evaluation.correlation:.2f}.")
    if evaluation.mean_difference is not None:
        sentences.append(f"They differ by {evaluation.mean_difference:.2f} on average.")
    counted = [source for source in evaluation.sources if source.reader_errors is not None]
    misread = sum(source.reader_errors or 0 for source in counted)
    wrong = sum(source.votes - source.gold.right for source in counted)
    if misread:
        sentences.append(
            f"Of {plural(wrong, 'wrong vote')} {misread:,} are errors of the reader: a right answer stands in what was "
            f"read; {wrong - misread:,} are errors of sources."
        )
    if evaluation.calibration.expected_error is not None:
        sentences.append(f"Confidence is off by {evaluation.calibration.expected_error:.2f} on average.")
    return " ".join([*sentences, *evaluation.notes])
