"""`python -m benchmarks.votes`: votes without documents through the service: import, estimation, consensus.

A panel of sources votes on queries with ten answers. The import reads NDJSON as `POST votes:import` does; the COPY has
the same rows ready and writes them into the same empty table with the same indexes. The estimation is a whole run, the
rival the estimator alone on arrays. The consensus is that of every query, with its probability; the rivals are methods
of crowd-kit on the same votes in memory.
"""

import asyncio
import gc
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass

import numpy as np
import psycopg
from numpy.typing import NDArray
from sqlalchemy.engine import URL

from benchmarks.estimator.rivals import rival_present
from benchmarks.harness import Benchmark, Headline, Report, database, run
from estimator import VoteMatrix, estimate
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.estimations import service as estimation
from registry.estimations.schemas import EstimationParameters
from registry.platform.database.engine import libpq_url
from registry.platform.enums import Trigger
from registry.runtime import Runtime
from registry.votes.service import import_votes
from registry.votes.summaries import consensus_of_all
from tests.fakes.scripted_reader import ScriptedReader

BENCHMARK = Benchmark(
    "votes",
    "votes without documents: import, estimation, consensus",
    page="votes",
    headlines=(
        Headline(
            "import of votes, a second",
            "import.votes_per_second",
            {"bare COPY": "copy.votes_per_second"},
            aim=1e6 / 60,
            form=",.0f",
        ),
        Headline(
            "consensus of every query, queries a second",
            "consensus.queries_per_second",
            {"crowd-kit DawidSkene": "crowd-kit DawidSkene.queries_per_second"},
            aim=100_000 / 5,
            form=",.0f",
        ),
        Headline("right answers of the consensus", "consensus.right", {"a majority": "majority.right"}),
    ),
)
SOURCES, VOTES_OF_QUERY, ANSWERS = 100, 10, 10
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Panel:
    """Votes as arrays (V,), and the right answers (M,)."""

    query: Integers
    source: Integers
    answer: Integers
    truth: Integers

    @classmethod
    def drawn(cls, queries: int, seed: int = 11) -> "Panel":
        """Ten of a hundred sources vote on each query. Their reliabilities are of Beta(6, 4) (RA-RAG section 4)."""
        random = np.random.default_rng(seed)
        reliability, truth = random.beta(6, 4, SOURCES), random.integers(0, ANSWERS, queries)
        query = np.repeat(np.arange(queries), VOTES_OF_QUERY)
        source = np.argsort(random.random((queries, SOURCES)), axis=1)[:, :VOTES_OF_QUERY].ravel()
        wrong = (truth[query] + random.integers(1, ANSWERS, query.size)) % ANSWERS
        answer = np.where(random.random(query.size) < reliability[source], truth[query], wrong)
        return cls(query, source, answer, truth)

    def lines(self) -> list[bytes]:
        """The votes as NDJSON."""
        rows = zip(self.query.tolist(), self.source.tolist(), self.answer.tolist(), strict=True)
        return [json.dumps({"source": f"s{s}", "query": f"q{q}", "answer": f"a{a}"}).encode() for q, s, a in rows]

    def matrix(self) -> VoteMatrix:
        """The votes as the estimator takes them."""
        count = self.truth.size
        return VoteMatrix.from_triples(self.query, self.source, self.answer, query_count=count, source_count=SOURCES)

    def right(self, answers: Mapping[str, str | None]) -> float:
        """The share of right ones among answers by query."""
        return float(np.mean([answers.get(f"q{query}") == f"a{answer}" for query, answer in enumerate(self.truth)]))


def measure(report: Report) -> None:
    """Each step once, over one panel."""
    panel = Panel.drawn(4_000 if report.options.quick else 100_000)
    with database.temporary_server() as (url, _):
        seconds, right = asyncio.run(_through_the_service(url, panel))
        seconds["bare COPY of the same rows"] = _bare_copy(url)
    votes, queries = panel.query.size, panel.truth.size
    began = time.perf_counter()
    estimate(panel.matrix())
    seconds["the estimator alone, on arrays"] = time.perf_counter() - began
    rows = [[name, f"{value:.1f}", f"{votes / value:,.0f}"] for name, value in seconds.items()]
    title = f"{votes:,} votes of {SOURCES} sources on {queries:,} queries"
    report.table(title, ["step", "seconds", "votes a second"], rows)
    report.figure("import.votes_per_second", votes / seconds[IMPORT])
    report.figure("copy.votes_per_second", votes / seconds["bare COPY of the same rows"])
    report.figure("estimation.seconds", seconds[ESTIMATION])
    compared = {"consensus of the service": (seconds[CONSENSUS], right)} | _rivals(report, panel)
    for name, (taken, share) in compared.items():
        key = "consensus" if name.startswith("consensus") else name
        report.figure(f"{key}.queries_per_second", queries / taken)
        report.figure(f"{key}.right", share)
    rows = [
        [name, f"{taken:.1f}", f"{queries / taken:,.0f}", f"{share:.3f}"] for name, (taken, share) in compared.items()
    ]
    report.table("An answer for every query", ["by", "seconds", "queries a second", "right"], rows)


IMPORT, ESTIMATION, CONSENSUS = "import of NDJSON", "estimation, a whole run", "consensus of every query"


async def _through_the_service(url: URL, panel: Panel) -> tuple[dict[str, float], float]:
    seconds: dict[str, float] = {}
    async with database.opened(url, ScriptedReader()) as runtime:
        async with runtime.database.begin() as session:
            corpus = await corpora.get(session, corpora.DEFAULT)
        body = panel.lines()
        gc.freeze()  # as the service does when it has started
        began = time.perf_counter()
        await _import(runtime, corpus, body)
        seconds[IMPORT] = time.perf_counter() - began
        began = time.perf_counter()
        queued = await estimation.start(runtime, corpus, EstimationParameters(topics="none"), Trigger.COMMAND)
        await estimation.run(runtime, queued.id)
        seconds[ESTIMATION] = time.perf_counter() - began
        began, answers = time.perf_counter(), dict[str, str | None]()
        async for batch in consensus_of_all(runtime.database, corpus):
            answers |= {summary.query or "": summary.answer for summary in batch}
        seconds[CONSENSUS] = time.perf_counter() - began
    return seconds, panel.right(answers)


async def _import(runtime: Runtime, corpus: Corpus, body: list[bytes]) -> None:
    async def lines() -> AsyncIterator[bytes]:
        for line in body:
            yield line

    async for result in import_votes(runtime, corpus, lines()):
        if result.status != "created":
            raise RuntimeError(result.error)


def _bare_copy(url: URL) -> float:
    with psycopg.connect(libpq_url(url), autocommit=True) as connection:
        with connection.cursor().copy("COPY imported_votes TO STDOUT (FORMAT binary)") as copy:
            block = b"".join(copy)
        connection.execute("TRUNCATE imported_votes")
        began = time.perf_counter()
        with connection.cursor().copy("COPY imported_votes FROM STDIN (FORMAT binary)") as copy:
            copy.write(block)
        return time.perf_counter() - began


def _rivals(report: Report, panel: Panel) -> dict[str, tuple[float, float]]:
    """Seconds and the share of right answers of methods on the same votes in memory."""
    votes = panel.matrix()
    compared = {"majority": _timed(panel, lambda: dict(enumerate(estimate(votes, "majority").answer.tolist())))}
    if rival_present(report):
        import pandas  # noqa: PLC0415 - crowd-kit need not be installed
        from crowdkit.aggregation import DawidSkene, MajorityVote  # noqa: PLC0415

        frame = pandas.DataFrame({"task": panel.query, "worker": panel.source, "label": panel.answer})
        for rival in (MajorityVote(), DawidSkene(n_iter=100)):
            name = f"crowd-kit {type(rival).__name__}"
            compared[name] = _timed(panel, lambda rival=rival: rival.fit_predict(frame).to_dict())  # type: ignore[misc]
    return compared


def _timed(panel: Panel, answer: Callable[[], Mapping[int, int]]) -> tuple[float, float]:
    began = time.perf_counter()
    answers = answer()
    taken = time.perf_counter() - began
    return taken, float(np.mean([answers.get(query) == right for query, right in enumerate(panel.truth.tolist())]))


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
