"""The main job on the demo corpus: load, estimate, audit, ask. Each step keeps what is there already."""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from api.demo.audit import Audit, Gold, audit
from api.demo.corpus import DemoQuestion, Showcase, load_corpus
from api.demo.load import GENERATED, GIVEN, LoadedCorpus, load_documents, load_queries
from registry.answers import service as answers
from registry.answers.result_schemas import AnswerResult
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import EstimationParameters
from registry.platform.database.paging import MAX_LIMIT
from registry.platform.enums import QueryOrigin
from registry.queries import store as queries
from registry.queries.model import Query
from registry.query_generations import service as query_generation
from registry.query_generations.schemas import GenerationParameters
from registry.runtime import Runtime
from registry.sources.store.estimates import current_run

Estimate: TypeAlias = Callable[[Runtime, Corpus, EstimationParameters], Awaitable[EstimationRun]]


@dataclass(frozen=True, slots=True)
class DemoAnswer:
    """A question, its answer from the selected sources, and what all sources would have said with equal votes."""

    question: DemoQuestion
    result: AnswerResult
    all_sources: AnswerResult
    is_right: bool
    majority: tuple[str, ...]
    majority_is_right: bool


class Report(Protocol):
    """Is called with each step when it is done, so that a person need not wait for the end."""

    def loaded(self, corpus: LoadedCorpus) -> None: ...
    def generating(self) -> None: ...
    def generated(self, queries: Sequence[Query]) -> None: ...
    def audited(self, audit: Audit, *, is_new: bool) -> None: ...
    def answered(self, answer: DemoAnswer) -> None: ...
    def ended(self, seconds: float) -> None: ...


async def run_demo(runtime: Runtime, estimate: Estimate, report: Report) -> None:
    """Do the whole job; `estimate` estimates the reliabilities where they are unknown or out of date.

    The queries of a person come when those of the documents are written, and judge only: the estimation that stays is
    from generated queries, and the one on the given ones is there to be compared with it.
    """
    started = time.perf_counter()
    loaded = await load_documents(runtime)
    report.loaded(loaded)
    corpus = loaded.corpus
    runs = await _current_runs(runtime, loaded)
    is_new = runs is None
    if is_new:
        report.generating()
        await query_generation.run_now(runtime, corpus, GenerationParameters())
        await load_queries(runtime, corpus)
    async with runtime.database.begin() as session:
        written = await queries.page(session, corpus, cursor=None, limit=MAX_LIMIT, origin=QueryOrigin.GENERATED)
    report.generated(written.items)
    given, run = runs or (await estimate(runtime, corpus, GIVEN), await estimate(runtime, corpus, GENERATED))
    report.audited(await audit(runtime, corpus, run, given), is_new=is_new)
    for showcase in Showcase:
        report.answered(await _ask(runtime, corpus, load_corpus().showcase(showcase)))
    report.ended(time.perf_counter() - started)


async def _current_runs(runtime: Runtime, loaded: LoadedCorpus) -> tuple[EstimationRun, EstimationRun] | None:
    """The newest run on the given queries, and the current one; None if that was made otherwise than the demo does, or
    the documents changed, or the reader did.
    """
    if loaded.new_documents:
        return None
    async with runtime.database.begin() as session:
        given = await estimations.newest_of(session, loaded.corpus, QueryOrigin.GIVEN)
        run = await current_run(session, loaded.corpus)
    if given is None or run is None or run.gold_queries or run.parameters.get("origin") != QueryOrigin.GENERATED:
        return None
    return (given, run) if given.reader == run.reader == runtime.require_reader().name else None


async def _ask(runtime: Runtime, corpus: Corpus, question: DemoQuestion) -> DemoAnswer:
    parameters = AnswerParameters(keep_as_query=False)
    of_all = parameters.model_copy(update={"kappa": len(load_corpus().sources)})
    selected, all_sources = [
        AnswerResult.model_validate((await answers.ask(runtime, corpus, question.text, asked)).result)
        for asked in (parameters, of_all)
    ]
    majority = _most_voted(all_sources)
    gold = Gold.of(question.text, question.gold_answers)
    return DemoAnswer(
        question=question,
        result=selected,
        all_sources=all_sources,
        is_right=_is_right(selected.answers, gold),
        majority=majority,
        majority_is_right=_is_right(majority, gold),
    )


def _most_voted(result: AnswerResult) -> tuple[str, ...]:
    """The answers that most sources gave, each counted once; several if they tie, none if nobody answered."""
    most = max((entry.votes for entry in result.tally), default=0)
    return tuple(entry.answer for entry in result.tally if entry.votes == most)


def _is_right(answers: tuple[str, ...], gold: Gold) -> bool:
    """Whether the only answer is right; where there is no right answer, whether none was given."""
    if not gold.keys:
        return not answers
    return len(answers) == 1 and gold.accepts(answers[0])
