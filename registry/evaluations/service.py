"""Evaluates a corpus on its queries with gold answers: reads every source, compares the methods, changes nothing."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

from answering.embedders import Vector
from answering.passages import RetrievedPassage
from answering.voting import Outcome
from registry.answers import service as answers
from registry.answers.question import in_force, open_context, period_of
from registry.answers.result_schemas import AnswerResult, Decider
from registry.answers.schemas import AnswerParameters, Strategy
from registry.corpora.model import Corpus
from registry.estimations import store as estimations
from registry.estimations.schemas import QuestionTopic
from registry.evaluations import metrics
from registry.evaluations.methods import methods
from registry.evaluations.metrics import EvaluatedQuery, MethodAnswer
from registry.evaluations.schemas import Evaluation
from registry.passages.schemas import PassageFilter
from registry.passages.store import passage_filter
from registry.platform.concurrency import run_concurrently
from registry.platform.errors import Conflict, InvalidInput
from registry.platform.settings import AnswerJudge
from registry.queries import store as stored_queries
from registry.queries.model import Query
from registry.readings.service import SourceReader
from registry.runtime import Runtime
from registry.sources.reliabilities import Reliabilities, current_reliabilities
from registry.sources.store.estimates import current_run, topic_of_question
from registry.viewers.model import ALL_SEEING

# Passages of all sources together that one reader sees: naive RAG, RA-RAG section 5.1 (arXiv:2410.22954).
POOLED_PASSAGES = 10
CONCURRENT_QUERIES = 4
FEW_QUERIES = 30


async def evaluate(
    runtime: Runtime,
    corpus: Corpus,
    *,
    parameters: AnswerParameters | None = None,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Evaluation:
    """Answer every query with gold answers by every method and compare them.

    `parameters` are those that questions are asked with, by the function that answers them; the other methods use the
    same passages. `progress` is called with the number of queries done and their total. Readings are cached; no answer
    is stored and no estimate changed. Raises `Conflict` before the first estimation and where another one ends
    meanwhile, `InvalidInput` without gold answers that the current one was not fitted on, and what answering raises.
    """
    reader = runtime.require_reader()
    async with runtime.database.begin() as session:
        newest = await current_run(session, corpus)
        parameters = in_force(parameters or AnswerParameters(), newest)
        where = await passage_filter(session, corpus, parameters, ALL_SEEING)
        reliabilities = (await current_reliabilities(session, corpus)).of_sources(where.source_ids)
        with_gold = await stored_queries.with_gold(session, corpus)
        run = reliabilities.run
        fitted_on = await estimations.queries_fitted_on(session, run) if run else frozenset[UUID]()
    queries = [query for query in with_gold if query.id not in fitted_on]
    if reliabilities.estimation_id is None:
        raise Conflict("This corpus has no estimation to evaluate. Make one first, e.g. with `credence estimate`.")
    if not queries and with_gold:
        count = len(with_gold)
        raise InvalidInput(
            f"The estimation was fitted on {'the one query' if count == 1 else f'all {count} queries'} with gold "
            "answers, so none is left to evaluate it. Start one with `use_gold` off, e.g. by "
            "`credence estimate --no-use-gold`, and evaluate that."
        )
    if not queries:
        raise InvalidInput("No query of this corpus has gold answers. Add some as `gold_answers` of its queries.")
    cases = await QueryReader(runtime, corpus, reliabilities, parameters, where, progress).read(queries)
    change = runtime.reader_change(run.reader if run else None)
    notes = (*_notes(len(cases), len(with_gold) - len(cases)), *([change] if change else []))
    models = reader.name, runtime.chat.name if runtime.chat else None
    evaluation = _evaluation(corpus, reliabilities, cases, models, parameters, notes)
    # It does arithmetic alone, for seconds where there are many sources.
    return await asyncio.to_thread(asyncio.run, evaluation)


class QueryReader:
    """Asks each query, and reads every source, and the nearest passages of all of them together, on it."""

    def __init__(
        self,
        runtime: Runtime,
        corpus: Corpus,
        reliabilities: Reliabilities,
        parameters: AnswerParameters,
        where: PassageFilter,
        progress: Callable[[int, int], None],
    ) -> None:
        self._runtime = runtime
        self._corpus = corpus
        self._run = reliabilities.run
        self._source_ids = [source.source_id for source in reliabilities.sources]
        self._progress = progress
        self._parameters = parameters
        self._reader = SourceReader(runtime, corpus, parameters.class_policy, where)

    async def read(self, queries: Sequence[Query]) -> list[EvaluatedQuery]:
        """The readings of each query, in the order of the queries."""
        vectors = await self._runtime.embedder.embed([query.text for query in queries])
        remaining = iter(list(enumerate(zip(queries, vectors, strict=True))))
        evaluated: dict[int, EvaluatedQuery] = {}

        async def work() -> None:
            for index, (query, vector) in remaining:
                evaluated[index] = await self._read_query(query, vector)
                self._progress(len(evaluated), len(queries))

        await run_concurrently(*(work() for _ in range(CONCURRENT_QUERIES)))
        return [evaluated[index] for index in range(len(queries))]

    async def _read_query(self, query: Query, vector: Vector) -> EvaluatedQuery:
        k = self._runtime.settings.passages_per_source
        count, period = max(k, POOLED_PASSAGES), period_of(query.text, self._parameters, query.created_at)
        passages = await self._reader.search(query.text, vector, self._source_ids, count, period)
        nearest = sorted(
            (passage for of_source in passages.values() for passage in of_source),
            key=lambda passage: -passage.relevance,
        )
        # None stands for all sources together.
        requests: dict[UUID | None, list[RetrievedPassage]] = {
            None: nearest[:POOLED_PASSAGES],
            **{source_id: passages[source_id][:k] for source_id in passages},
        }
        readings = await self._reader.read_passages(query.text, requests)
        pooled = readings[None]
        stated = await self._reader.stated(query.text, vector, self._source_ids)
        topic = await self._topic(vector) if self._parameters.use_topic else None
        return EvaluatedQuery(
            query_id=query.id,
            text=query.text,
            gold_answers=tuple(query.gold_answers or ()),
            readings={source_id: stated.get(source_id, readings[source_id]) for source_id in self._source_ids},
            pooled_answer=pooled.answer if pooled.answer_key is not None else None,
            asked=await self._ask(query),
            reader=self._runtime.reader_for(query.text).name,
            topic=topic,
            policy=self._parameters.class_policy,
            period=period,
            joins=await self._reader.joins_of(query.text),
        )

    async def _ask(self, query: Query) -> MethodAnswer:
        """The answer of the service, without ConflictScores unless the strategy is `auto`, which looks at them."""
        runtime = self._runtime
        if self._parameters.strategy is not Strategy.AUTO:
            settings = runtime.settings.model_copy(update={"conflict_judge": AnswerJudge.NONE})
            runtime = replace(runtime, settings=settings)
        parameters = self._parameters.model_copy(update={"asked_at": self._parameters.asked_at or query.created_at})
        context = await open_context(runtime, self._corpus, query.text, parameters)
        result = (await answers.answer(context)).result
        if result.estimation_id is not None and self._run and result.estimation_id != self._run.id:
            raise Conflict("Another estimation ended meanwhile, which these answers are by. Evaluate again.")
        return _method_answer(result)

    async def _topic(self, vector: Vector) -> QuestionTopic | None:
        """The inferred topic, as for a question; the topic that the query was given is ignored."""
        async with self._runtime.database.begin() as session:
            return await topic_of_question(session, self._corpus, self._run, vector, self._parameters.topic)


def _method_answer(result: AnswerResult) -> MethodAnswer:
    # The items of a list that won the vote are one answer.
    is_list = result.decided_by is Decider.VOTE and result.outcome is Outcome.ANSWERED
    answered = ("; ".join(result.answers),) if is_list else result.answers
    return MethodAnswer(result.outcome, answered, result.confidence, result.usage.readings)


async def _evaluation(
    corpus: Corpus,
    reliabilities: Reliabilities,
    cases: Sequence[EvaluatedQuery],
    models: tuple[str, str | None],
    parameters: AnswerParameters,
    notes: tuple[str, ...],
) -> Evaluation:
    compared = methods(cases, reliabilities, parameters)
    answered = {name: [await method.answer(case) for case in cases] for name, method in compared.items()}
    judged = metrics.source_evaluations(cases, reliabilities.sources)
    correlation, difference = metrics.agreement(judged)
    return Evaluation(
        corpus=corpus.name,
        created_at=datetime.now(UTC),
        estimation_id=reliabilities.estimation_id,
        reader=models[0],
        chat=models[1],
        parameters=parameters.model_dump(mode="json"),
        kappa=parameters.kappa,
        queries=len(cases),
        methods=tuple(
            metrics.method_score(name, method.description, cases, answered[name]) for name, method in compared.items()
        ),
        calibration=metrics.calibration(cases, answered["selected"]),
        sources=judged,
        correlation=correlation,
        mean_difference=difference,
        mistakes=metrics.mistakes(cases, answered["selected"]),
        notes=notes,
    )


def _notes(queries: int, fitted_on: int) -> tuple[str, ...]:
    notes = []
    if queries < FEW_QUERIES:
        notes.append(f"{queries} queries with right answers tell little: read the intervals, not the shares.")
    if fitted_on:
        notes.append(
            f"{fitted_on} more {'is' if fitted_on == 1 else 'are'} left out, because the estimation was fitted on "
            f"{'its' if fitted_on == 1 else 'their'} right answers; one that does not use them is evaluated on all."
        )
    return tuple(notes)
