"""The worlds of the benchmark: nobody lies, new sites lie, trusted sites lie; before and after estimating anew."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from answering.readers import Reader
from benchmarks.harness import progress
from benchmarks.multisource.runner import opened_service
from benchmarks.multisource.service import estimated
from benchmarks.web import rivals, service
from benchmarks.web.questions import WebQuestion
from benchmarks.web.service import DEFAULT, METHODS, MethodAnswer
from registry.corpora.model import Corpus
from registry.estimations.model import EstimationRun
from registry.runtime import Runtime

HONEST = "nobody lies"
UNESTIMATED = "nobody lies, before any estimation"
ONE_NEW, THREE_NEW, THREE_TRUSTED = "1 new liar", "3 new liars", "3 trusted liars"
ANEW = ", estimated anew"
LIARS = {HONEST: 0, ONE_NEW: 1, THREE_NEW: 3}
# The others cost as many readings again and are compared where nobody lies.
COMPARED = (DEFAULT, "kappa 4", "kappa 16")


@dataclass(frozen=True, slots=True)
class Estimation:
    """The cost of an estimation run."""

    world: str
    readings: int
    cached: int
    votes: int
    seconds: float


class Worlds:
    """Runs the worlds one after the other; `answers[world][method]` are in the order of the questions."""

    def __init__(self, questions: Sequence[WebQuestion]) -> None:
        self._questions = questions
        self.answers: dict[str, dict[str, list[MethodAnswer]]] = {}
        self.estimations: list[Estimation] = []

    async def run(self, reader: Reader) -> None:
        """Run all worlds in a database of their own."""
        async with opened_service(reader) as runtime:
            await self._new_liars(runtime)
            await self._trusted_liars(runtime)
            for world, liars in LIARS.items():
                self.answers[world] |= await rivals.answered(runtime, self._questions, liars)

    async def _new_liars(self, runtime: Runtime) -> None:
        corpus = await service.load(runtime, "new-liars", self._questions)
        await self._ask(runtime, corpus, UNESTIMATED, [DEFAULT])
        await self._estimate(runtime, corpus, HONEST)
        await self._ask(runtime, corpus, HONEST, METHODS)
        for world, numbers in ((ONE_NEW, range(1)), (THREE_NEW, range(1, 3))):
            await service.add_new_liars(runtime, corpus, self._questions, numbers)
            await self._ask(runtime, corpus, world, COMPARED)
        await self._estimate(runtime, corpus, THREE_NEW + ANEW)
        await self._ask(runtime, corpus, THREE_NEW + ANEW, COMPARED)

    async def _trusted_liars(self, runtime: Runtime) -> None:
        corpus = await service.load(runtime, "trusted-liars", self._questions)
        await self._estimate(runtime, corpus, THREE_TRUSTED)
        await service.corrupt_trusted(runtime, corpus, self._questions, LIARS[THREE_NEW])
        await self._ask(runtime, corpus, THREE_TRUSTED, COMPARED)
        await self._estimate(runtime, corpus, THREE_TRUSTED + ANEW)
        await self._ask(runtime, corpus, THREE_TRUSTED + ANEW, COMPARED)

    async def _estimate(self, runtime: Runtime, corpus: Corpus, world: str) -> None:
        run = await estimated(runtime, corpus, "auto")
        self.estimations.append(_cost(world, run))
        progress(f"{world}: estimated")

    async def _ask(self, runtime: Runtime, corpus: Corpus, world: str, methods: Iterable[str]) -> None:
        for method in methods:
            by_method = self.answers.setdefault(world, {})
            by_method[method] = await service.answered(runtime, corpus, self._questions, METHODS[method])
            progress(f"{world}: {method}")


def _cost(world: str, run: EstimationRun) -> Estimation:
    seconds = 0.0
    if run.started_at is not None and run.finished_at is not None:
        seconds = (run.finished_at - run.started_at).total_seconds()
    return Estimation(world, run.readings_made, run.readings_cached, run.votes_total, seconds)
