"""From a synthetic corpus to its record: load, estimate, read every source for every question, run the rivals."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from answering.debates.driver import DebateLimits
from answering.debates.driver import run as debate
from answering.debates.execution import Services
from answering.debates.no_rag import no_rag
from benchmarks.harness.language_model import SECONDS
from benchmarks.multisource import service
from benchmarks.multisource.record import CorpusRecord, Question, RecordedReading
from benchmarks.multisource.replay import answer_by_selection, estimated_electorate
from benchmarks.multisource.service import Loaded, PooledReader
from benchmarks.multisource.settings import Plan
from benchmarks.multisource.synthetic import Item, Stance, SyntheticCorpus
from registry.estimations.model import EstimationRun
from registry.runtime import Runtime

KAPPA = 4
# Concurrent questions: enough that the reader never waits for a search.
CONCURRENCY = 4
# Test questions that the service answers itself too, to check that the replayed answers agree.
CHECKED = 40

Input = TypeVar("Input")
Output = TypeVar("Output")


async def recorded(runtime: Runtime, corpus: SyntheticCorpus, plan: Plan) -> CorpusRecord:
    """Run the service on a corpus and record its readings."""
    began = time.perf_counter()
    loaded = await service.load(runtime, corpus)
    ingested = time.perf_counter()
    run = await service.estimated(runtime, loaded.corpus, "iwmv")
    estimated = time.perf_counter()
    questions = await _each(corpus.items, QuestionRecorder(runtime, loaded, run, plan, len(corpus.items)).question)
    record = CorpusRecord(
        setting=corpus.setting.name,
        seed=corpus.seed,
        reader=runtime.require_reader().name,
        reliabilities=tuple(true_reliabilities(corpus)),
        subsets=plan.subsets,
        questions=tuple(questions),
        checks={
            "documents": float(sum(len(publisher.documents) for publisher in corpus.publishers)),
            "readings_made": float(run.readings_made),
            "readings_cached": float(run.readings_cached),
            "ingest_seconds": ingested - began,
            "estimation_seconds": estimated - ingested,
            "asking_seconds": time.perf_counter() - estimated,
        },
    )
    return replace(record, checks={**record.checks, "replays_agree": await _agreement(runtime, loaded, record)})


class QuestionRecorder:
    """Records the readings of every source, and the answers of the rivals without sources."""

    def __init__(self, runtime: Runtime, loaded: Loaded, run: EstimationRun, plan: Plan, count: int) -> None:
        self._runtime = runtime
        self._loaded = loaded
        self._run = run
        self._pool = PooledReader(runtime, loaded)
        self._subsets = plan.subsets
        self._naive = {name: plan.subsets[name] for name in plan.naive}
        self._pooled = {name: plan.subsets[name] for name in plan.pooled}
        self._count = count

    async def question(self, item: Item) -> Question:
        """The question with the readings of all sources."""
        return Question(
            text=item.fact.question,
            golds=item.fact.golds,
            is_test=item.is_test,
            time=item.day / self._count,
            stances=tuple(item.stances),
            published=item.published,
            readings=await self._readings(item),
            poisoned=item.poisoned,
            pooled=await self._rivals(item) if item.is_test else {},
        )

    async def _rivals(self, item: Item) -> Mapping[str, str | None]:
        answers = await self._pool.answers(item.fact.question, naive=self._naive, pooled=self._pooled)
        if (chat := self._runtime.chat) is None:
            return answers
        closed_book = await debate(no_rag(item.fact.question), Services(chat), DebateLimits(timeout=SECONDS))
        remembered = closed_book.answers[0].answer if closed_book.answers else None
        return answers | {f"no RAG/{name}": remembered for name in self._subsets}

    async def _readings(self, item: Item) -> tuple[RecordedReading, ...]:
        if not item.is_test:
            return await service.votes(self._runtime, self._loaded, self._run, item)
        all_sources = len(self._loaded.source_ids)
        result, _ = await service.answered(self._runtime, self._loaded, item.fact.question, kappa=all_sources)
        return service.readings_of(result, self._loaded.source_ids)


async def _agreement(runtime: Runtime, loaded: Loaded, record: CorpusRecord) -> float:
    """The share of questions on which the service gives the same answer as the replay, with as many readings."""
    all_sources = range(len(loaded.source_ids))
    weights, _ = estimated_electorate(record, all_sources, "iwmv")

    async def agrees(question: Question) -> bool:
        result, _ = await service.answered(runtime, loaded, question.text, kappa=KAPPA, batch=KAPPA)
        replayed = answer_by_selection(record, question, all_sources, weights, KAPPA)
        answer = result.answers[0] if result.answers else None
        same = answer == replayed.answer or record.keys.get(answer or "") == record.keys.get(replayed.answer or "")
        return same and result.usage.readings == replayed.readings

    agreed = await _each(record.test[:CHECKED], agrees)
    return sum(agreed) / len(agreed)


def true_reliabilities(corpus: SyntheticCorpus) -> list[float]:
    """The reliability of each source; where it depends on topic, time or question, its share of right answers."""
    setting = corpus.setting
    if setting.topics or setting.turning or setting.poisoned:
        return [_share([item.stances[source] for item in corpus.items]) for source in range(setting.sources)]
    return [publisher.reliability for publisher in corpus.publishers]


def _share(stances: Sequence[Stance]) -> float:
    relevant = [stance for stance in stances if stance is not Stance.IRRELEVANT]
    return sum(stance is Stance.FACTUAL for stance in relevant) / max(len(relevant), 1)


async def _each(items: Sequence[Input], function: Callable[[Input], Awaitable[Output]]) -> list[Output]:
    """The results in the order of the items, `CONCURRENCY` at a time."""
    semaphore = asyncio.Semaphore(CONCURRENCY)

    async def limited(item: Input) -> Output:
        async with semaphore:
            return await function(item)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(limited(item)) for item in items]
    return [task.result() for task in tasks]
