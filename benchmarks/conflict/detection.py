"""Detection of conflicts among the documents of a claim, through the whole of ConflictScore."""

import statistics
import time
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from answering.conflict import score_claims
from answering.conflict.scoring import pairs_to_judge
from answering.judges import ChatJudge, Judge
from answering.models import Chat
from benchmarks.conflict.documents import grounds_of
from benchmarks.data.claim_sets import SEED, ClaimSet
from benchmarks.harness import Cell, Report
from benchmarks.judge.scores import Detection
from tests.fakes.scripted_judge import ScriptedJudge

MIN_PROBABILITIES = (0.0, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)
RESAMPLES = 1000
ClaimSets = Mapping[str, Sequence[ClaimSet]]
Outcome = tuple[bool, bool]
"""Whether the documents of a set conflict, and whether that was reported."""


async def detect(
    report: Report, method: str, judge: Judge, reported: ClaimSets, development: ClaimSets
) -> list[list[Cell]]:
    """A row for each data set, without a minimum probability and with the one chosen on development questions."""
    chosen = await _chosen_min_probability(judge, development)
    rows: list[list[Cell]] = []
    for name, claim_sets in reported.items():
        replayed = await replay(judge, claim_sets)
        for minimum in sorted({0.0, chosen}):
            outcomes = await outcomes_of(replayed, claim_sets, minimum)
            rows.append([name, method, f"{minimum:g}", *_cells(claim_sets, outcomes)])
            report.figure(f"{method}_{name}_f1{'_chosen' if minimum else ''}", Detection.of(outcomes).f1)
    return rows


async def detect_in_sample(report: Report, judges: Mapping[str, Judge], sample: ClaimSets) -> list[list[Cell]]:
    """A row for each judge and data set, with the seconds a question."""
    rows: list[list[Cell]] = []
    for name, claim_sets in sample.items():
        for method, judge in judges.items():
            began = time.perf_counter()
            replayed = await replay(judge, claim_sets)
            seconds = (time.perf_counter() - began) / len({claims.question for claims in claim_sets})
            outcomes = await outcomes_of(replayed, claim_sets, 0.0)
            rows.append([name, judge.name, *_cells(claim_sets, outcomes), f"{seconds:.2f}"])
            report.figure(f"sample_{method}_{name}_f1", Detection.of(outcomes).f1)
    return rows


async def replay(judge: Judge, claim_sets: Sequence[ClaimSet]) -> Judge:
    """A judge that repeats the judgements on these sets without asking again."""
    pairs = list(dict.fromkeys(pair for claims in claim_sets for pair in pairs_to_judge(grounds_of(claims))))
    judgements = dict(zip(pairs, await judge.judge_all(pairs), strict=True))
    return ScriptedJudge(lambda pair: judgements[pair], name=judge.name)


async def replay_all(claim_sets: ClaimSets, chat: Chat) -> None:
    """Judge all of these sets by a language model."""
    for claims in claim_sets.values():
        await replay(ChatJudge(chat), claims)


async def outcomes_of(judge: Judge, claim_sets: Sequence[ClaimSet], minimum: float) -> list[Outcome]:
    """The outcome of every set; a conflict is reported where one of its claims has one."""
    outcomes = []
    for claims in claim_sets:
        scored = await score_claims(grounds_of(claims), judge, min_probability=minimum)
        outcomes.append((claims.conflicting, any(claim.conflicting for claim in scored.claims)))
    return outcomes


def _cells(claim_sets: Sequence[ClaimSet], outcomes: Sequence[Outcome]) -> Iterator[Cell]:
    """The number of sets, precision, recall, and F1 with its interval."""
    yield len(claim_sets)
    yield from Detection.of(outcomes).cells()
    yield "{:.3f} to {:.3f}".format(*_interval(claim_sets, outcomes))


async def _chosen_min_probability(judge: Judge, development: ClaimSets) -> float:
    """The minimum probability with the best mean F1 on development questions; of equals the smallest."""
    replayed = {name: await replay(judge, claim_sets) for name, claim_sets in development.items()}
    scores = {
        minimum: [await _f1(replayed[name], claim_sets, minimum) for name, claim_sets in development.items()]
        for minimum in MIN_PROBABILITIES
    }
    return max(MIN_PROBABILITIES, key=lambda minimum: (round(statistics.mean(scores[minimum]), 3), -minimum))


async def _f1(judge: Judge, claim_sets: Sequence[ClaimSet], minimum: float) -> float:
    return Detection.of(await outcomes_of(judge, claim_sets, minimum)).f1


def _interval(claim_sets: Sequence[ClaimSet], outcomes: Sequence[Outcome]) -> tuple[float, float]:
    """95 % bootstrap interval of F1 over questions, as the sets of one question depend on each other."""
    questions = {question: row for row, question in enumerate(sorted({claims.question for claims in claim_sets}))}
    counts = np.zeros((len(questions), 3))
    columns = {(True, True): 0, (False, True): 1, (True, False): 2}
    for claims, outcome in zip(claim_sets, outcomes, strict=True):
        if outcome in columns:
            counts[questions[claims.question], columns[outcome]] += 1
    samples = np.random.default_rng(SEED).integers(0, len(questions), (RESAMPLES, len(questions)))
    true_positives, false_positives, false_negatives = counts[samples].sum(axis=1).T
    total = 2 * true_positives + false_positives + false_negatives
    low, high = np.percentile(2 * true_positives / np.maximum(total, 1), [2.5, 97.5])
    return float(low), float(high)
