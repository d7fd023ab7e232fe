"""`python -m benchmarks.languages.judging`: judges in five languages, on sets whose labels people gave.

Persian, Indonesian, Japanese and Korean pairs are of texts that neither trained the multilingual judge nor chose its
settings; the Chinese set trained nothing. A verdict is right if it is the label: supports, contradicts, or neither.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice
from statistics import fmean

from answering.errors import ModelRefused
from answering.judges import CompactJudge, Judge, Label
from answering.judges.multilingual import MultilingualJudge
from answering.text.language import language_name
from benchmarks.data.language_verdicts import FILE, Verdict, reported_verdicts
from benchmarks.harness import Benchmark, Cell, Headline, Report, run

PAIRS, QUICK = 400, 24
BENCHMARK = Benchmark(
    "languages.judging",
    "judges in five languages",
    page="languages",
    headlines=(
        Headline(
            "verdicts that are right, mean of five languages",
            "multilingual.right",
            {"compact": "compact.right", "always the most frequent label": "most_frequent.right"},
            aim=0.7,
        ),
    ),
)


def measure(report: Report) -> None:
    """One row a language."""
    report.folder(str(FILE.parent))
    by_language: defaultdict[str, list[Verdict]] = defaultdict(list)
    for verdict in reported_verdicts(report.options.data):
        by_language[verdict.language].append(verdict)
    count = QUICK if report.options.quick else PAIRS
    chosen = {language: spread(of, count) for language, of in by_language.items()}
    report.figure("most_frequent.right", fmean(map(_most_frequent, chosen.values())))
    for name, judge in _judges(report).items():
        rows: list[list[Cell]] = []
        for language, of in chosen.items():
            (right, *of_labels), milliseconds = asyncio.run(_right(judge, of))
            shares = [_most_frequent(of), right, *of_labels]
            rows.append(
                [language_name(language), len(of), *(f"{share:.2f}" for share in shares), f"{milliseconds:.0f}"]
            )
            report.figure(f"{name}.right.{language}", right)
        report.figure(f"{name}.right", fmean(report.figures[f"{name}.right.{language}"] for language in chosen))
        columns = ["language", "pairs", "most frequent label", "right", *(f"of {label}" for label in _LABELS)]
        report.table(f"{name}: right verdicts", [*columns, "ms a pair"], rows)


_LABELS = (Label.SUPPORTS, Label.CONTRADICTS, Label.IRRELEVANT)


def spread(verdicts: Sequence[Verdict], count: int) -> list[Verdict]:
    """So many of them, from the whole list."""
    return list(islice(verdicts, 0, None, max(len(verdicts) // count, 1)))[:count]


def _most_frequent(verdicts: Sequence[Verdict]) -> float:
    labels = [verdict.label for verdict in verdicts]
    return max(map(labels.count, _LABELS)) / len(labels)


def _judges(report: Report) -> Mapping[str, Judge]:
    judges: dict[str, Judge] = {"compact": CompactJudge(threads=1)}
    try:
        judges["multilingual"] = MultilingualJudge(threads=1)
    except ModelRefused as absent:
        report.rival_skipped("multilingual", str(absent))
    return judges


async def _right(judge: Judge, verdicts: Sequence[Verdict]) -> tuple[list[float], float]:
    """The share that is right, of all and of each label; milliseconds a pair."""
    began = time.perf_counter()
    judged = [judgement.label for judgement in await judge.judge_all([verdict.pair for verdict in verdicts])]
    milliseconds = (time.perf_counter() - began) * 1000 / len(verdicts)
    right = [verdict.label is label for verdict, label in zip(verdicts, judged, strict=True)]
    of_label = [
        fmean(hit for hit, verdict in zip(right, verdicts, strict=True) if verdict.label is label) for label in _LABELS
    ]
    return [fmean(right), *of_label], milliseconds


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
