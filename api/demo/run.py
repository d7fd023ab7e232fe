"""The main job on the demo corpus: load, estimate, audit, ask. Each step keeps what is there already."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from answering.voting.selection import DEFAULT_KAPPA
from api.demo.audit import Audit, Gold, audit, gold_of
from api.demo.corpus import DemoQuestion, Showcase, load_corpus
from api.demo.load import LoadedCorpus, last_change, load
from registry import answers
from registry.inputs.answers import AnswerParameters
from registry.models import Corpus, EstimationRun
from registry.results.answer import AnswerResult
from registry.runtime import Runtime
from registry.store.reliabilities import current_run

QUESTIONS = (Showcase.CLEAR, Showcase.MAJORITY_WRONG, Showcase.UNANSWERED)
Estimate: TypeAlias = Callable[[Runtime, Corpus], Awaitable[EstimationRun]]


@dataclass(frozen=True, slots=True)
class DemoAnswer:
    """A question, its answer from the selected sources, and what all sources would have said with equal votes."""

    question: DemoQuestion
    result: AnswerResult
    all_sources: AnswerResult
    is_right: bool
    majority: tuple[str, ...]
    majority_is_right: bool


@dataclass(frozen=True, slots=True)
class DemoResult:
    """All results of the demo, and the time that they took."""

    corpus: LoadedCorpus
    audit: Audit
    answers: tuple[DemoAnswer, ...]
    seconds: float


class Report(Protocol):
    """Is called with each step when it is done, so that a person need not wait for the end."""

    def loaded(self, corpus: LoadedCorpus) -> None: ...
    def audited(self, audit: Audit, *, is_new: bool) -> None: ...
    def answered(self, answer: DemoAnswer) -> None: ...
    def ended(self, result: DemoResult) -> None: ...


async def run_demo(runtime: Runtime, estimate: Estimate, report: Report) -> None:
    """Do the whole job; `estimate` estimates the reliabilities where they are unknown or out of date."""
    started = time.perf_counter()
    loaded = await load(runtime)
    report.loaded(loaded)
    current = await _current_run(runtime, loaded)
    run = current or await estimate(runtime, loaded.corpus)
    audited = await audit(runtime, loaded.corpus, run, loaded.sources)
    report.audited(audited, is_new=current is None)
    results = []
    for showcase in QUESTIONS:
        answer = await _ask(runtime, loaded.corpus, load_corpus().showcase(showcase), len(loaded.sources))
        report.answered(answer)
        results.append(answer)
    report.ended(DemoResult(loaded, audited, tuple(results), time.perf_counter() - started))


async def _current_run(runtime: Runtime, loaded: LoadedCorpus) -> EstimationRun | None:
    """The current run, unless the reader or something in the corpus changed since, or it was fitted on gold answers."""
    async with runtime.database.begin() as session:
        run = await current_run(session, loaded.corpus)
    if run is None or run.gold_queries or run.reader != runtime.require_reader().name:
        return None
    return run if run.created_at > await last_change(runtime, loaded) else None


async def _ask(runtime: Runtime, corpus: Corpus, question: DemoQuestion, source_count: int) -> DemoAnswer:
    parameters = AnswerParameters(kappa=DEFAULT_KAPPA, keep_as_query=False)
    selected = await _answer(runtime, corpus, question, parameters)
    all_sources = await _answer(runtime, corpus, question, parameters.model_copy(update={"kappa": source_count}))
    majority = _most_voted(all_sources)
    gold = gold_of(question.external_id)
    return DemoAnswer(
        question=question,
        result=selected,
        all_sources=all_sources,
        is_right=_is_right(selected.answers, gold),
        majority=majority,
        majority_is_right=_is_right(majority, gold),
    )


async def _answer(
    runtime: Runtime, corpus: Corpus, question: DemoQuestion, parameters: AnswerParameters
) -> AnswerResult:
    record = await answers.ask(runtime, corpus, question.text, parameters)
    return AnswerResult.model_validate(record.result)


def _most_voted(result: AnswerResult) -> tuple[str, ...]:
    """The answers that most sources gave, each counted once; several if they tie, none if nobody answered."""
    most = max((entry.votes for entry in result.tally), default=0)
    return tuple(entry.answer for entry in result.tally if entry.votes == most)


def _is_right(answers: tuple[str, ...], gold: Gold) -> bool:
    """Whether the only answer is right; where there is no right answer, whether none was given."""
    if not gold.keys:
        return not answers
    return len(answers) == 1 and gold.accepts(answers[0])
