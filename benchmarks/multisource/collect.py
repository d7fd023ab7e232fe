"""From a world to its harvest: load, estimate, ask every source every test question, and the rivals beside."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from benchmarks.multisource import service
from benchmarks.multisource.harvest import Harvest, Question, Said
from benchmarks.multisource.replay import selected, trusted
from benchmarks.multisource.service import Loaded, Pool
from benchmarks.multisource.settings import Plan
from benchmarks.multisource.synthetic import Item, Stance, World
from registry.models import EstimationRun
from registry.runtime import Runtime

KAPPA = 4
# Questions under way at once: enough that the reader never waits for a search.
IN_FLIGHT = 4
# Test questions that the service answers by itself too, to show that a replay gives what it gives.
CHECKED = 40

Given = TypeVar("Given")
Made = TypeVar("Made")


async def harvested(runtime: Runtime, world: World, plan: Plan) -> Harvest:
    """Run the service on a world and write down all it heard."""
    began = time.perf_counter()
    loaded = await service.load(runtime, world)
    ingested = time.perf_counter()
    run = await service.estimated(runtime, loaded, "iwmv")
    estimated = time.perf_counter()
    questions = await _each(world.items, Listener(runtime, loaded, run, plan, len(world.items)).question)
    found = Harvest(
        setting=world.setting.name,
        seed=world.seed,
        reader=runtime.require_reader().name,
        reliabilities=tuple(true_reliabilities(world)),
        panels=plan.panels,
        questions=tuple(questions),
        checks={
            "documents": float(sum(len(publisher.documents) for publisher in world.publishers)),
            "readings_made": float(run.readings_made),
            "readings_cached": float(run.readings_cached),
            "ingest_seconds": ingested - began,
            "estimation_seconds": estimated - ingested,
            "asking_seconds": time.perf_counter() - estimated,
        },
    )
    return replace(found, checks={**found.checks, "replays_agree": await _agreement(runtime, loaded, found)})


class Listener:
    """Puts the questions of a world to every source, and to the rivals that know none."""

    def __init__(self, runtime: Runtime, loaded: Loaded, run: EstimationRun, plan: Plan, count: int) -> None:
        self._runtime = runtime
        self._loaded = loaded
        self._run = run
        self._pool = Pool(runtime, loaded)
        self._naive = {name: plan.panels[name] for name in plan.naive}
        self._whole = {name: plan.panels[name] for name in plan.whole}
        self._count = count

    async def question(self, item: Item) -> Question:
        """The question with all that was said to it."""
        return Question(
            text=item.fact.question,
            golds=item.fact.golds,
            is_test=item.is_test,
            time=item.day / self._count,
            stances=tuple(item.stances),
            told=item.told,
            said=await self._said(item),
            poisoned=item.poisoned,
            pooled=await self._rivals(item) if item.is_test else {},
        )

    async def _rivals(self, item: Item) -> Mapping[str, str | None]:
        return await self._pool.answers(item.fact.question, naive=self._naive, whole=self._whole)

    async def _said(self, item: Item) -> tuple[Said, ...]:
        if not item.is_test:
            return await service.votes(self._runtime, self._loaded, self._run, item)
        everybody = len(self._loaded.source_ids)
        result, _ = await service.answered(self._runtime, self._loaded, item.fact.question, kappa=everybody)
        return service.heard(result, self._loaded.source_ids)


async def _agreement(runtime: Runtime, loaded: Loaded, harvest: Harvest) -> float:
    """How often the service, asked as a user asks it, gives the answer and reads the sources that the replay says."""
    everybody = range(len(loaded.source_ids))
    trust, _ = trusted(harvest, everybody, "iwmv")

    async def agrees(question: Question) -> bool:
        result, _ = await service.answered(runtime, loaded, question.text, kappa=KAPPA, batch=KAPPA)
        replayed = selected(harvest, question, everybody, trust, KAPPA)
        answer = result.answers[0] if result.answers else None
        same = answer == replayed.answer or harvest.keys.get(answer or "") == harvest.keys.get(replayed.answer or "")
        return same and result.usage.readings == replayed.readings

    agreed = await _each(harvest.test[:CHECKED], agrees)
    return sum(agreed) / len(agreed)


def true_reliabilities(world: World) -> list[float]:
    """What each source was made with; where that changes with topic, time or target, the share it came to."""
    setting = world.setting
    if setting.topics or setting.turning or setting.poisoned:
        return [_share([item.stances[source] for item in world.items]) for source in range(setting.sources)]
    return [publisher.reliability for publisher in world.publishers]


def _share(stances: Sequence[Stance]) -> float:
    known = [stance for stance in stances if stance is not Stance.IRRELEVANT]
    return sum(stance is Stance.FACTUAL for stance in known) / max(len(known), 1)


async def _each(given: Sequence[Given], work: Callable[[Given], Awaitable[Made]]) -> list[Made]:
    """All of them in their order, a few at a time."""
    slots = asyncio.Semaphore(IN_FLIGHT)

    async def one(some: Given) -> Made:
        async with slots:
            return await work(some)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(some)) for some in given]
    return [task.result() for task in tasks]
