"""`python -m benchmarks.walks`: how many modules of the registry somebody who follows one call has to open.

A question that is answered by vote, an estimation and a document are traced while they run on the corpus of the demo.
A call from one function to a function of another module is a step, however often it is made; the start of a task is
none, unless it enters a module. Modules that hold data (`model`, `schemas`) and foundations (`platform`, `events`,
`keys`, `runtime`) are left out: every request uses them.
"""

import asyncio
import sys
import threading
from collections.abc import Awaitable
from dataclasses import dataclass, field
from types import FrameType

from sqlalchemy.engine import URL

from answering.readers import CompactReader
from answering.voting import Outcome
from api.demo.load import load
from benchmarks.harness import Benchmark, Headline, Report, database, run
from registry.answers import service as answers
from registry.answers.schemas import AnswerParameters, Strategy
from registry.corpora.model import Corpus
from registry.documents import service as documents
from registry.documents.schemas import DocumentInput
from registry.estimations import service as estimations
from registry.estimations.schemas import EstimationParameters
from registry.platform.enums import Trigger
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.schemas import SourceInput

BENCHMARK = Benchmark(
    "walks",
    "modules that a question, an estimation and a document pass through",
    page="../architecture",
    headlines=(
        Headline("modules that a question enters", "question_modules", aim=15, higher_is_better=False),
        Headline("returns of a question", "question_returns", aim=8, higher_is_better=False),
        Headline("modules that an estimation enters", "estimation_modules", aim=12, higher_is_better=False),
        Headline("returns of an estimation", "estimation_returns", aim=5, higher_is_better=False),
    ),
)

LEFT_OUT = ("platform", "events", "keys", "runtime", "tables")


@dataclass(slots=True)
class Walk:
    """The steps between modules of the registry, each once, in the order in which they were first made."""

    steps: dict[tuple[str, str, str], None] = field(default_factory=dict)
    """(module of the caller, module, function), as keys."""

    @property
    def modules(self) -> list[str]:
        """The modules that are entered, in order."""
        return list(dict.fromkeys(module for _, module, _ in self.steps))

    @property
    def returns(self) -> int:
        """Pairs of modules of which one calls the other, beyond the first call of each module."""
        return len({(caller, module) for caller, module, _ in self.steps}) - len(self.modules)

    def record(self, frame: FrameType, kind: str, _argument: object) -> None:
        """Note a call; the signature is that of `sys.setprofile`."""
        module = _module_of(frame)
        if kind != "call" or module is None or frame.f_code.co_name.startswith("<"):
            return
        caller = frame.f_back
        while caller is not None and _module_of(caller) is None:
            caller = caller.f_back
        calling = "" if caller is None else _module_of(caller) or ""
        # Nobody calls a task: it was made in a module that was entered before.
        if calling != module and (calling or module not in self.modules):
            self.steps.setdefault((calling, module, frame.f_code.co_name))


def _module_of(frame: FrameType) -> str | None:
    """The module of a frame, without `registry.`; None for one that is left out."""
    name: str = frame.f_globals.get("__name__", "")
    package, _, module = name.partition(".")
    is_left_out = module.partition(".")[0] in LEFT_OUT or module.endswith(("model", "schemas"))
    return None if package != "registry" or is_left_out else module


async def walked(work: Awaitable[object]) -> Walk:
    """The walk of what is awaited."""
    walk = Walk()
    threading.setprofile(walk.record)
    sys.setprofile(walk.record)
    try:
        await work
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return walk


def measure(report: Report) -> None:
    """Trace the three walks."""
    with database.temporary_server() as (url, _):
        walks = asyncio.run(_walks(url))
    for name, walk in walks.items():
        report.figure(f"{name}_modules", len(walk.modules))
        report.figure(f"{name}_returns", walk.returns)
    rows = [[name, str(len(walk.modules)), str(walk.returns), " ".join(walk.modules)] for name, walk in walks.items()]
    report.table("Walks", ["walk", "modules", "returns", "in the order in which they are entered"], rows)


async def _walks(url: URL) -> dict[str, Walk]:
    async with database.opened(url, CompactReader()) as runtime:
        loaded = await load(runtime)
        started = await estimations.start(runtime, loaded.corpus, EstimationParameters(), Trigger.COMMAND)
        estimation = await walked(estimations.run(runtime, started.id))
        answer = await walked(_answer(runtime, loaded.corpus))
        async with runtime.database.begin() as session:
            source = await sources.create(session, loaded.corpus, SourceInput(name="Walker"))
        sent = DocumentInput(title="Hallvik Mill", content="The Hallvik Mill was built in 1874.")
        document = await walked(documents.ingest(runtime, loaded.corpus, source.id, [sent]))
    return {"question": answer, "estimation": estimation, "document": document}


async def _answer(runtime: Runtime, corpus: Corpus) -> None:
    """Ask what sources answer: one that nobody answers takes another way."""
    question = "How long is the Outer Mole of Port Ørsa harbour?"
    asked = await answers.ask(runtime, corpus, question, AnswerParameters(strategy=Strategy.WMV))
    if asked.outcome != Outcome.ANSWERED:
        raise RuntimeError(f"the outcome of {question!r} is {asked.outcome}")


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
