"""`python -m benchmarks.increment`: runs of the service where one per cent is new, beside runs that collect everything.

Sources state the colours of towers, ten in a document, and a reader without a model finds them. Before each pair of
runs something is added: nothing, queries, documents of a few sources, or documents of many sources. The first run of a
pair carries over what it can; the second one collects everything, from readings that are all cached by then, and has to
find the same votes and reliabilities. All pairs are measured where all sources are read and where candidates are.
"""

import asyncio
import hashlib
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from sqlalchemy import select, text

from answering.models import Usage
from answering.readers import Reading
from benchmarks.harness import Benchmark, Cell, Headline, Report, run
from benchmarks.harness.database import opened, temporary_server, vocabulary
from registry import estimation, ingest
from registry.inputs.documents import DocumentInput
from registry.inputs.estimations import EstimationParameters
from registry.inputs.queries import QueryInput
from registry.inputs.sources import SourceInput
from registry.models import Corpus, EstimationRun, RunSource, Source, Trigger
from registry.runtime import Runtime
from registry.store import corpora, queries, sources

AIM = 0.1
CASES = ("nothing", "queries", "few", "many")
TITLES = {
    "nothing": "nothing",
    "queries": "1 % of the queries",
    "few": "1 % of the documents, of 1 % of the sources",
    "many": "1 % of the documents, of as many sources as possible",
}
MODES = {"all": False, "candidates": True}

BENCHMARK = Benchmark(
    "increment",
    "estimations in the service where one per cent is new",
    page="increment",
    headlines=(
        *(
            Headline(
                f"time of a run with {title} new, as a share of one over all; all sources are read",
                f"all_{case}",
                {"candidates are read": f"candidates_{case}"},
                aim=AIM,
                higher_is_better=False,
                form=".2f",
            )
            for case, title in TITLES.items()
        ),
        Headline(
            "votes that differ from those of the run over all", "different", aim=0, higher_is_better=False, form=".0f"
        ),
    ),
)

COLOURS = ("red", "blue", "green", "white", "black")
TOWERS_A_DOCUMENT = 10
STATEMENT = re.compile(r"The tower of (\w+) is painted (\w+)\.")
QUESTION = re.compile(r"tower of (\w+) painted")
COLUMNS = "query_id, source_id, status, answer, answer_key, alignment, confidence, document_ids, published_at"
# Rows of one run that the other lacks.
DIFFERENT = text(
    f"""
    SELECT count(*) FROM (
        (SELECT {COLUMNS} FROM votes WHERE estimation_id = :one EXCEPT ALL
         SELECT {COLUMNS} FROM votes WHERE estimation_id = :other)
        UNION ALL
        (SELECT {COLUMNS} FROM votes WHERE estimation_id = :other EXCEPT ALL
         SELECT {COLUMNS} FROM votes WHERE estimation_id = :one)
    ) AS different
    """
)


@dataclass(frozen=True, slots=True)
class Size:
    """Of the corpus."""

    queries: int = 1000
    sources: int = 300
    documents: int = 20
    """Of each source."""


QUICK = Size(queries=40, sources=50, documents=5)


class TowerReader:
    """Finds the colour of the tower that is asked for, or abstains."""

    name = "towers"
    prompt_hash = hashlib.sha256(b"towers").hexdigest()

    async def read(self, question: str, passages: Sequence[str], _contexts: Sequence[str] = ()) -> Reading:
        """The reading, in microseconds."""
        asked = QUESTION.search(question)
        colours = dict(STATEMENT.findall(" ".join(passages)))
        colour = colours.get(asked[1]) if asked else None
        return Reading(colour, colour or "", None, Usage())

    async def aclose(self) -> None:
        """Nothing is open."""


@dataclass
class World:
    """A corpus that grows; the last fifth of its sources is often wrong."""

    runtime: Runtime
    corpus: Corpus
    size: Size
    generator: np.random.Generator = field(default_factory=lambda: np.random.default_rng(1))
    source_ids: list[Source] = field(default_factory=list)
    asked: int = 0
    published: int = 0

    async def fill(self) -> None:
        """Publish and ask all that is there before the first run."""
        for number in range(self.size.sources):
            async with self.runtime.database.begin() as session:
                self.source_ids.append(await sources.create(session, self.corpus, SourceInput(name=f"Source {number}")))
            await self.publish(number, self.size.documents)
        await self.ask(self.size.queries)
        async with self.runtime.database.begin() as session:
            await session.execute(text("ANALYZE"))

    async def publish(self, source: int, count: int) -> None:
        """Documents of one source, about towers by chance."""
        batch = []
        for _ in range(count):
            towers = self.generator.choice(self._towers, TOWERS_A_DOCUMENT, replace=False)
            statements = " ".join(f"The tower of {tower} is painted {self._colour(source, tower)}." for tower in towers)
            batch.append(DocumentInput(external_id=str(self.published), content=f"By source {source}. {statements}"))
            self.published += 1
        await ingest.ingest(self.runtime, self.corpus, self.source_ids[source].id, batch)

    async def ask(self, count: int) -> None:
        """Queries about towers that were not asked about."""
        async with self.runtime.database.begin() as session:
            for tower in self._towers[self.asked : self.asked + count]:
                await queries.create(
                    session, self.corpus, QueryInput(text=f"What colour is the tower of {tower} painted?")
                )
        self.asked += count

    async def add(self, case: str) -> None:
        """What is new before a pair of runs."""
        hundredth = max(1, self.size.sources * self.size.documents // 100)
        if case == "queries":
            await self.ask(max(1, self.size.queries // 100))
        elif case == "few":
            count = max(1, self.size.sources // 100)
            for source in range(count):
                await self.publish(source, hundredth // count)
        elif case == "many":
            for number in range(hundredth):
                await self.publish(number % self.size.sources, 1)

    async def seconds_of(self, parameters: EstimationParameters) -> tuple[float, EstimationRun]:
        """The time of a run, and the run."""
        queued = await estimation.start(self.runtime, self.corpus, parameters, Trigger.COMMAND)
        began = time.perf_counter()
        await estimation.run(self.runtime, queued.id)
        seconds = time.perf_counter() - began
        async with self.runtime.database.begin() as session:
            return seconds, await session.get_one(EstimationRun, queued.id)

    async def different(self, one: EstimationRun, other: EstimationRun) -> tuple[int, float]:
        """How many votes of two runs differ, and the largest difference of reliabilities."""
        rows = select(RunSource.source_id, RunSource.reliability)
        async with self.runtime.database.begin() as session:
            count = await session.scalar(DIFFERENT, {"one": one.id, "other": other.id})
            first, second = [
                dict((await session.execute(rows.where(RunSource.estimation_id == which.id))).all())
                for which in (one, other)
            ]
        return int(count or 0), max(abs(value - second[source]) for source, value in first.items())

    @property
    def _towers(self) -> list[str]:
        # Some are asked about later.
        return [word.capitalize() for word in vocabulary(self.size.queries * 2)]

    def _colour(self, source: int, tower: str) -> str:
        right = self.generator.random() < (0.9 if source < 0.8 * self.size.sources else 0.4)
        return COLOURS[sum(map(ord, tower)) % 2 if right else int(self.generator.integers(2, len(COLOURS)))]


def measure(report: Report) -> None:
    """All pairs of runs, in both ways of choosing what is read."""
    asyncio.run(_measure(report, QUICK if report.options.quick else Size()))


async def _measure(report: Report, size: Size) -> None:
    with temporary_server() as (url, _):
        async with opened(url, TowerReader()) as runtime:
            async with runtime.database.begin() as session:
                corpus = await corpora.get(session, corpora.DEFAULT)
            world = World(runtime, corpus, size)
            await world.fill()
            report.figure("different", 0)
            for mode, candidates_only in MODES.items():
                await _pairs(report, world, mode, EstimationParameters(candidates_only=candidates_only))


async def _pairs(report: Report, world: World, mode: str, parameters: EstimationParameters) -> None:
    everything = parameters.model_copy(update={"full": True})
    first, _ = await world.seconds_of(everything)
    rows: list[list[Cell]] = []
    for case in CASES:
        await world.add(case)
        seconds, incremental = await world.seconds_of(parameters)
        seconds_of_all, full = await world.seconds_of(everything)
        votes, difference = await world.different(incremental, full)
        report.figure(f"{mode}_{case}", seconds / seconds_of_all)
        report.figure("different", report.figures["different"] + votes)
        rows.append(
            [
                TITLES[case],
                f"{seconds:.2f} s",
                f"{seconds_of_all:.2f} s",
                f"{seconds / seconds_of_all:.3f}",
                f"{incremental.readings_carried:,}",
                f"{incremental.readings_made + incremental.readings_cached:,}",
                votes,
                f"{difference:.1e}",
            ]
        )
    columns = [
        "new",
        "time",
        "over all",
        "share",
        "readings carried over",
        "of",
        "different",
        "reliabilities differ by",
    ]
    read = "candidates are read" if parameters.candidates_only else "all sources are read"
    shape = f"{world.size.queries:,} queries, {world.size.sources} sources"
    report.table(f"{shape}, {read}; the first run over all took {first:.1f} s", columns, rows)


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
