"""Conflicts by what they are about, and documents that all contradict: `python -m benchmarks.conflict.categories`.

As in Table 2 of ConflictScore, on public sets that stand for its categories: ambiguous questions (RAMDocs, of the
quarter that trained and calibrated nothing), false passages (ConflictNQ, likewise) and web snippets (RGB), facts that
were edited, changed over time or are disputed (DynamicQA), opinions (Perspectrum). Of every claim there are three sets:
all documents, those that do not contradict, those that do not support. With a language model (`--model`) it judges
`--sample` questions of each category too.
"""

import argparse
import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from answering.conflict import score_claims
from answering.judges import ChatJudge, Judge, Label
from answering.judges.compact import CompactJudge
from benchmarks.conflict import BENCHMARK
from benchmarks.conflict.detection import outcomes_of, replay, replay_all
from benchmarks.conflict.documents import grounds_of
from benchmarks.conflict.model import cached_chat
from benchmarks.data import claim_sets
from benchmarks.data.claim_sets import ClaimSet, sample_questions
from benchmarks.data.splits import Part
from benchmarks.harness import Cell, Report, bootstrap_mean, progress, run
from benchmarks.harness.language_model import add_model_options, rehearse
from benchmarks.harness.options import count
from benchmarks.judge.lexical import LexicalJudge
from benchmarks.judge.scores import Detection

QUESTIONS, QUICK_QUESTIONS, SAMPLE = 150, 8, 4


def _stances(name: str, source: str, part: Part | None = None) -> Callable[[Path], list[ClaimSet]]:
    return lambda data: claim_sets.load_stances(data / "stance_extra" / f"{name}.jsonl.gz", source, part)


CATEGORIES: Mapping[str, Callable[[Path], list[ClaimSet]]] = {
    "ambiguous question (RAMDocs)": lambda data: claim_sets.load_ramdocs(data / "ramdocs", Part.REPORT),
    "false passages (ConflictNQ)": lambda data: claim_sets.load_conflictnq(data / "conflictnq", Part.REPORT),
    "false snippets (RGB)": lambda data: claim_sets.load_rgb(data / "rgb"),
    "edited fact (DynamicQA, static)": _stances("dynamicqa", "dynamicqa_static"),
    "fact of a time (DynamicQA, temporal)": _stances("dynamicqa", "dynamicqa_temporal"),
    "disputed fact (DynamicQA, disputable)": _stances("dynamicqa", "dynamicqa_disputable"),
    "opinion (Perspectrum)": _stances("perspectrum", "perspectrum", Part.REPORT),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this part."""
    add_model_options(parser)
    parser.add_argument("--sample", type=count, default=SAMPLE, help="questions that a language model judges")


def measure(report: Report) -> None:
    """The tables of the compact judge and of shared words, then those of a sample."""
    for name in ("ramdocs", "conflictnq", "rgb", "stance_extra"):
        report.folder(name)
    most = QUICK_QUESTIONS if report.options.quick else QUESTIONS
    sets = {name: sample_questions(load(report.options.data), most) for name, load in CATEGORIES.items()}
    judges: dict[str, Judge] = {"compact": CompactJudge(), "words": LexicalJudge()}
    asyncio.run(_tabulate(report, judges, sets, f"at most {most} questions a category"))
    chat = cached_chat(report, "language model as judge")
    if chat is not None:
        size = report.options.extra.sample
        sample = {name: sample_questions(claims, size) for name, claims in sets.items()}
        title = f"{size} questions a category, {chat.name}"
        if not asyncio.run(rehearse(report, chat, partial(replay_all, sample))):
            return
        asyncio.run(_tabulate(report, {"language model": ChatJudge(chat), **judges}, sample, title))


async def _tabulate(
    report: Report, judges: Mapping[str, Judge], sets: Mapping[str, Sequence[ClaimSet]], title: str
) -> None:
    rows: list[list[Cell]] = []
    against: list[list[Cell]] = []
    for name, claims in sets.items():
        for method, judge in judges.items():
            replayed = await replay(judge, claims)
            outcomes = await outcomes_of(replayed, claims, 0.0)
            right = {
                conflict: [said == conflict for is_, said in outcomes if is_ == conflict] for conflict in (True, False)
            }
            accuracies = list(map(bootstrap_mean, ([*right[True], *right[False]], right[True], right[False])))
            rows.append([name, method, len(claims), *Detection.of(outcomes).cells(), *map(str, accuracies)])
            report.figure(f"{title}/{name}/{method}/F1", Detection.of(outcomes).f1)
            report.figure(f"{title}/{name}/{method}/accuracy", accuracies[0].mean)
            contradicted = [each for each in claims if each.all_contradict]
            if contradicted:
                against.append([name, method, len(contradicted), *await _all_contradict(replayed, contradicted)])
            progress(f"{name}: {method}")
    columns = ["category", "judge", "sets", "precision", "recall", "F1", "accuracy", "conflicting", "not conflicting"]
    report.table(f"Conflicts by category, {title}; intervals of 95 %", columns, rows)
    columns = ["category", "judge", "sets", "contradicted", "taken for a conflict", "taken for support", "nothing seen"]
    report.table(f"Claims that all their documents contradict, {title}", columns, against)


async def _all_contradict(judge: Judge, contradicted: Sequence[ClaimSet]) -> list[str]:
    """Shares of the sets by what their documents are seen to say: CS-C does not tell the first from the last two."""
    seen = []
    for claims in contradicted:
        scored = await score_claims(grounds_of(claims), judge)
        seen.append(
            {stance.label for claim in scored.claims for stance in claim.stances} - {Label.IRRELEVANT, Label.REPORTS}
        )
    found = ({Label.CONTRADICTS}, {Label.SUPPORTS, Label.CONTRADICTS}, {Label.SUPPORTS}, set[Label]())
    return [f"{sum(labels == wanted for labels in seen) / len(seen):.3f}" for wanted in found]


if __name__ == "__main__":
    raise SystemExit(run(replace(BENCHMARK, name="conflict.categories"), measure, add_options=add_options))
