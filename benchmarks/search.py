"""`python -m benchmarks.search`: the passages that a search returns, at weights of reliability from 0 to 1.

The corpus is that of the demo: eleven sources of known reliability, two of which mostly repeat a third, and 64 queries,
which the reliabilities are estimated from without their answers. A passage is right, or false, if it states the answer
that the reader found in its source, and that answer is right, or wrong. nDCG@5 gives each right passage a gain of 1;
the ideal has as many right passages as there are sources that answer rightly, at most five.
"""

import asyncio
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.engine import URL

from answering.equivalence import ClassPolicy, answer_key
from answering.judges.quotes import find_quote
from answering.readers import CompactReader
from api.demo.load import load
from benchmarks.harness import Benchmark, Headline, Report, bootstrap_mean, database, run
from registry.corpora.model import Corpus
from registry.estimations import service as estimation
from registry.estimations import store as estimations
from registry.estimations.schemas import EstimationParameters
from registry.platform.enums import Trigger
from registry.queries import store as queries
from registry.queries.model import Query
from registry.runtime import Runtime
from registry.search.schemas import SearchInput
from registry.search.service import FoldedHit, folded_search

BENCHMARK = Benchmark(
    "search",
    "search over all sources: right and false passages",
    page="search",
    headlines=(
        Headline("nDCG@5 at the default weight", "ndcg_0.5", {"by relevance alone": "ndcg_0"}),
        Headline(
            "share of false passages in the top 5 at the default weight",
            "false_0.5",
            {"by relevance alone": "false_0"},
            higher_is_better=False,
        ),
    ),
)

WEIGHTS = (0, 0.25, 0.5, 0.75, 1)
TOP = 5


@dataclass(frozen=True, slots=True)
class Judged:
    """What the sources say to a query: the answer of each, and whether it is right."""

    query: Query
    answers: dict[UUID, tuple[str, bool]]

    def gain(self, hit: FoldedHit) -> int:
        """1 for a right passage, -1 for a false one, 0 for one that states no answer."""
        passage = hit.hit.passage
        answer, is_right = self.answers.get(passage.source_id, ("", False))
        if not answer or find_quote(passage.content, answer) is None:
            return 0
        return 1 if is_right else -1

    def ndcg(self, gains: Sequence[int]) -> float | None:
        """nDCG@5; None where no source is right."""
        right = min(TOP, sum(is_right for _, is_right in self.answers.values()))
        ideal = sum(_discount(place) for place in range(right))
        return sum(_discount(place) for place, gain in enumerate(gains) if gain > 0) / ideal if right else None


def _discount(place: int) -> float:
    return 1 / math.log2(place + 2)


def measure(report: Report) -> None:
    """Estimate once, then search for every query at every weight, with copies folded and without."""
    with database.temporary_server() as (url, _):
        asyncio.run(_measure(report, url))


async def _measure(report: Report, url: URL) -> None:
    async with database.opened(url, CompactReader()) as runtime:
        loaded = await load(runtime)
        judged = await _judged(runtime, loaded.corpus)
        judged = judged[:8] if report.options.quick else judged
        rows = []
        for fold_copies in (True, False):
            for weight in WEIGHTS:
                row = await _searched(report, runtime, loaded.corpus, judged, weight, fold_copies=fold_copies)
                rows.append(["yes" if fold_copies else "no", f"{weight:g}", *row])
    columns = ["copies folded", "weight", "nDCG@5", "false in the top 5", "ms a search"]
    report.table(f"{len(judged)} queries, with 95 % intervals", columns, rows)


async def _judged(runtime: Runtime, corpus: Corpus) -> list[Judged]:
    # Gold answers judge what is found, and nothing else.
    started = await estimation.start(runtime, corpus, EstimationParameters(use_gold=False), Trigger.COMMAND)
    await estimation.run(runtime, started.id)
    judged = []
    async with runtime.database.begin() as session:
        for query in (await queries.page(session, corpus, cursor=None, limit=500)).items:
            gold = {answer_key(answer, ClassPolicy.VALUES) for answer in query.gold_answers or ()}
            votes = await estimations.votes_of(session, started, query.id)
            answers = {
                vote.source_id: (vote.answer or "", vote.answer_key in gold) for vote in votes if vote.answer_key
            }
            judged.append(Judged(query, answers))
    return judged


async def _searched(
    report: Report, runtime: Runtime, corpus: Corpus, judged: Sequence[Judged], weight: float, *, fold_copies: bool
) -> list[str]:
    gains, began = [], time.perf_counter()
    for item in judged:
        values = SearchInput(query=item.query.text, limit=TOP, reliability_weight=weight, fold_copies=fold_copies)
        gains.append([item.gain(hit) for hit in await folded_search(runtime, corpus, values)])
    milliseconds = (time.perf_counter() - began) * 1000 / len(judged)
    scores = [item.ndcg(of_query) for item, of_query in zip(judged, gains, strict=True)]
    ndcg = bootstrap_mean([score for score in scores if score is not None])
    false = bootstrap_mean([of_query.count(-1) / max(1, len(of_query)) for of_query in gains])
    if fold_copies:
        report.figure(f"ndcg_{weight:g}", ndcg.mean)
        report.figure(f"false_{weight:g}", false.mean)
    return [ndcg.formatted(2), false.formatted(2), f"{milliseconds:.0f}"]


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
