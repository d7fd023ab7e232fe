"""Whether a judge sees that the documents of a claim conflict, through the whole of ConflictScore."""

import statistics
import time
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from answering.conflict import score_claims
from answering.conflict.scoring import pairs_to_judge
from answering.judges import Judge, Judgement, Pair, ScriptedJudge
from benchmarks.conflict_documents import grounds_of
from benchmarks.harness import Cell, Report
from benchmarks.judge import SEED, by_words
from benchmarks.judge_scores import Detection
from benchmarks.judge_sets import ClaimSet

LEAST = (0.0, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)
RESAMPLES = 1000
Sets = Mapping[str, Sequence[ClaimSet]]
Outcome = tuple[bool, bool]
"""Whether the documents of a set conflict, and whether that was reported."""


class WordJudge:
    """Judging by words, as a judge."""

    name = "words"

    async def judge_all(self, pairs: Sequence[Pair]) -> list[Judgement]:
        labels = dict(zip(pairs, by_words(pairs), strict=True))
        return await ScriptedJudge(lambda pair: labels[pair]).judge_all(pairs)

    async def aclose(self) -> None:
        """Nothing is open."""


async def detect(report: Report, who: str, judge: Judge, reported: Sets, choosing: Sets) -> list[list[Cell]]:
    """A row for each set of questions, at the least probability 0 and at the chosen one."""
    chosen = await _chosen_least(judge, choosing)
    rows: list[list[Cell]] = []
    for name, sets in reported.items():
        seen = await judged(judge, sets)
        for least in sorted({0.0, chosen}):
            outcomes = await outcomes_of(seen, sets, least)
            rows.append([name, who, f"{least:g}", *_scored(sets, outcomes)])
            report.figure(f"{who}_{name}_f1{'_chosen' if least else ''}", detection(outcomes).f1)
    return rows


async def sampled(judges: Mapping[str, Judge], sample: Sets) -> list[list[Cell]]:
    """A row for each judge and set of questions, with the seconds that it took a question."""
    rows: list[list[Cell]] = []
    for name, sets in sample.items():
        for who, judge in judges.items():
            began = time.perf_counter()
            seen = await judged(judge, sets)
            seconds = (time.perf_counter() - began) / len({one.question for one in sets})
            outcomes = await outcomes_of(seen, sets, 0.0)
            rows.append([name, who, *_scored(sets, outcomes), f"{seconds:.2f}"])
    return rows


async def judged(judge: Judge, sets: Sequence[ClaimSet]) -> Judge:
    """A judge that says the same of these sets again, at once."""
    pairs = list(dict.fromkeys(pair for one in sets for pair in pairs_to_judge(grounds_of(one))))
    judgements = dict(zip(pairs, await judge.judge_all(pairs), strict=True))
    return ScriptedJudge(lambda pair: judgements[pair], name=judge.name)


async def outcomes_of(judge: Judge, sets: Sequence[ClaimSet], least: float) -> list[Outcome]:
    """Every set with what was reported of it: a conflict, where one of its claims has one."""
    found = []
    for one in sets:
        scored = await score_claims(grounds_of(one), judge, least=least)
        found.append((one.conflicting, any(claim.conflicting for claim in scored.claims)))
    return found


def detection(outcomes: Sequence[Outcome]) -> Detection:
    """True and false alarms, and what was missed."""
    return Detection(outcomes.count((True, True)), outcomes.count((False, True)), outcomes.count((True, False)))


def _scored(sets: Sequence[ClaimSet], outcomes: Sequence[Outcome]) -> Iterator[Cell]:
    """How many sets, precision, recall, and F1 with its interval."""
    found = detection(outcomes)
    yield len(sets)
    yield from (f"{share:.3f}" for share in (found.precision, found.recall, found.f1))
    yield "{:.3f} to {:.3f}".format(*_interval(sets, outcomes))


async def _chosen_least(judge: Judge, choosing: Sets) -> float:
    """The least probability with the best mean F1 on the part of the questions that chooses; of equals the least."""
    seen = {name: await judged(judge, sets) for name, sets in choosing.items()}
    scores = {least: [await _f1(seen[name], sets, least) for name, sets in choosing.items()] for least in LEAST}
    return max(LEAST, key=lambda least: (round(statistics.mean(scores[least]), 3), -least))


async def _f1(judge: Judge, sets: Sequence[ClaimSet], least: float) -> float:
    return detection(await outcomes_of(judge, sets, least)).f1


def _interval(sets: Sequence[ClaimSet], outcomes: Sequence[Outcome]) -> tuple[float, float]:
    """Of F1: questions drawn anew, as the sets of one question stand and fall together."""
    questions = {question: place for place, question in enumerate(sorted({one.question for one in sets}))}
    counts = np.zeros((len(questions), 3))
    kinds = {(True, True): 0, (False, True): 1, (True, False): 2}
    for one, outcome in zip(sets, outcomes, strict=True):
        if outcome in kinds:
            counts[questions[one.question], kinds[outcome]] += 1
    drawn = np.random.default_rng(SEED).integers(0, len(questions), (RESAMPLES, len(questions)))
    hits, alarms, missed = counts[drawn].sum(axis=1).T
    low, high = np.percentile(2 * hits / np.maximum(2 * hits + alarms + missed, 1), [2.5, 97.5])
    return float(low), float(high)
