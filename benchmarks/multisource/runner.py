"""Runs the worlds that a store does not know yet, all in one database, so that no text is read twice."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from answering.readers import Reader
from benchmarks import world as databases
from benchmarks.multisource import timing
from benchmarks.multisource.collect import harvested
from benchmarks.multisource.facts import Fact
from benchmarks.multisource.settings import Plan
from benchmarks.multisource.store import Store
from benchmarks.multisource.worlds import World
from registry.settings import AnswerJudge


class Maker(Protocol):
    """Builds the world of a seed."""

    def __call__(self, seed: int) -> World: ...


@dataclass(frozen=True, slots=True)
class Job:
    """A family of worlds to be run."""

    plan: Plan
    make: Maker


async def run_jobs(store: Store, jobs: Sequence[Job], seeds: int, reader: Reader, timed: Sequence[Fact]) -> None:
    """Run every world of every job that is missing, seed by seed; with facts to time, time them last."""
    todo = [
        (job, world)
        for seed in range(seeds)
        for job in jobs
        if seed < (job.plan.seeds or seeds) and not store.known(world := job.make(seed=seed), reader.name)
    ]
    timing_wanted = bool(timed) and not _is_timed(store, reader)
    if not todo and not timing_wanted:
        return
    with databases.fresh_database() as (url, _):
        # Answers are compared here, not their conflicts, whose scores would take longer than the reading.
        async with databases.opened(url, reader, conflict_judge=AnswerJudge.NONE) as runtime:
            for done, (job, world) in enumerate(todo, 1):
                store.keep(world, await harvested(runtime, world, job.plan))
                print(f"{world.setting.name}, seed {world.seed}: {done} of {len(todo)}", file=sys.stderr, flush=True)
            if timing_wanted:
                store.append(await timing.timed(runtime, timed))


def _is_timed(store: Store, reader: Reader) -> bool:
    return any(row["part"] == "seconds" and row["reader"] == reader.name for row in store.rows())
