"""The main job, step by step, on the demo corpus; each step goes on from what is there already."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from rich.console import Console

from answering.equivalence import ClassPolicy
from api.cli.estimating import begin, finish
from api.demo.audit import Audit, audit, gold_keys, is_right
from api.demo.corpus import DemoQuestion, Showcase, load_corpus
from api.demo.load import Loaded, last_change, load
from registry import answers
from registry.inputs.answers import AnswerParameters
from registry.inputs.estimations import EstimationParameters
from registry.models import Corpus, EstimationRun
from registry.results.answer import AnswerResult
from registry.runtime import Runtime
from registry.store import estimations

SHOWN = (Showcase.CLEAR, Showcase.MAJORITY_WRONG, Showcase.UNANSWERED)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, its answer from the selected sources, and what all sources would have said with equal votes."""

    question: DemoQuestion
    result: AnswerResult
    everybody: AnswerResult
    right: bool
    majority: tuple[str, ...]
    majority_right: bool


@dataclass(frozen=True, slots=True)
class DemoOutcome:
    """All that the demo did and found."""

    loaded: Loaded
    estimated_anew: bool
    audit: Audit
    asked: tuple[Asked, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Steps:
    """Told of each step when it is done, so that a person sees the work and not only its end."""

    loaded: Callable[[Loaded], None]
    audited: Callable[[Audit, bool], None]
    asked: Callable[[Asked], None]


async def run_demo(runtime: Runtime, progress: Console, steps: Steps) -> DemoOutcome:
    """Do the whole job; `progress` shows the bar of the estimation."""
    began = time.perf_counter()
    loaded = await load(runtime)
    steps.loaded(loaded)
    run, anew = await _estimation(runtime, loaded, progress)
    found = await audit(runtime, loaded.corpus, run, loaded.sources)
    steps.audited(found, anew)
    asked = []
    for showcase in SHOWN:
        one = await _ask(runtime, loaded.corpus, load_corpus().showcase(showcase), len(loaded.sources))
        steps.asked(one)
        asked.append(one)
    return DemoOutcome(loaded, anew, found, tuple(asked), time.perf_counter() - began)


async def _estimation(runtime: Runtime, loaded: Loaded, progress: Console) -> tuple[EstimationRun, bool]:
    """The current estimation if nothing changed since, else a new one, or the one that was interrupted."""
    async with runtime.database.begin() as session:
        current = await estimations.current(session, loaded.corpus)
    if current is not None and await _still_holds(runtime, loaded, current):
        return current, False
    begun = await begin(runtime, loaded.corpus, EstimationParameters())
    return await finish(runtime, loaded.corpus, begun.run, progress), True


async def _still_holds(runtime: Runtime, loaded: Loaded, run: EstimationRun) -> bool:
    same_reader = run.reader == runtime.require_reader().name
    return same_reader and run.created_at > await last_change(runtime, loaded)


async def _ask(runtime: Runtime, corpus: Corpus, question: DemoQuestion, source_count: int) -> Asked:
    selected = await _answer(runtime, corpus, question, AnswerParameters())
    everybody = await _answer(runtime, corpus, question, AnswerParameters(kappa=source_count))
    majority = most_voted(everybody)
    gold = gold_keys(question.external_id)
    return Asked(
        question=question,
        result=selected,
        everybody=everybody,
        right=_verdict(selected.answers, gold),
        majority=majority,
        majority_right=_verdict(majority, gold),
    )


async def _answer(
    runtime: Runtime, corpus: Corpus, question: DemoQuestion, parameters: AnswerParameters
) -> AnswerResult:
    record = await answers.ask(runtime, corpus, question.text, parameters)
    return AnswerResult.model_validate(record.result)


def most_voted(result: AnswerResult) -> tuple[str, ...]:
    """The answers that most sources gave, each counted once; several if they tie, none if nobody answered."""
    most = max((one.votes for one in result.tally), default=0)
    return tuple(one.answer for one in result.tally if one.votes == most)


def _verdict(answers: tuple[str, ...], gold: frozenset[str]) -> bool:
    """Whether the one answer is right; where there is no right answer, whether none was given."""
    if not gold:
        return not answers
    return len(answers) == 1 and is_right(answers[0], gold, ClassPolicy.VALUES)
