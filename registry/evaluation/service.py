"""A corpus evaluated on queries with gold answers: collect what every source says, compute, write nothing."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy import select

from answering.alignment import AlignmentReason, align
from answering.equivalence import answer_key
from answering.passages import RetrievedPassage
from answering.voting.selection import ReadingStatus, SourceReading
from registry.concurrency import run_concurrently
from registry.errors import Conflict, InvalidInput
from registry.estimation.collection import Cast, Vector, cast, check_reader, texts
from registry.evaluation import metrics
from registry.evaluation.metrics import POLICY, Case
from registry.models import Corpus, Query
from registry.results.evaluation import Evaluation
from registry.runtime import Runtime
from registry.store import passages
from registry.store.readings import CachedReader
from registry.store.reliabilities import Reliabilities, current_reliabilities
from registry.store.weights import Weights

# Passages that one reader sees of all sources together: RA-RAG's naive RAG (section 5.1).
POOLED_PASSAGES = 10
# Queries read at once, as many as an estimation collects.
IN_FLIGHT = 4
SOURCES_PER_SEARCH = 500
FEW_QUERIES = 30


async def evaluate(
    runtime: Runtime, corpus: Corpus, *, told: Callable[[int, int], None] = lambda _done, _total: None
) -> Evaluation:
    """Answer every query with gold answers by every method and compare; `told` hears how many are done, of how many.

    Raises `Conflict` before the first estimation and `InvalidInput` without gold answers. Readings are cached; no
    answer is stored and no estimate changed.
    """
    reader = runtime.require_reader()
    async with runtime.database.begin() as session:
        current = await current_reliabilities(session, corpus)
        rows = select(Query).where(Query.corpus_id == corpus.id, Query.gold_answers.is_not(None)).order_by(Query.id)
        queries = (await session.scalars(rows)).all()
    if current.estimation_id is None:
        raise Conflict("This corpus has no estimation to evaluate. Make one first, e.g. with `credence estimate`.")
    if not queries:
        raise InvalidInput("No query of this corpus has gold answers. Add some as `gold_answers` of its queries.")
    cases = await CaseCollector(runtime, corpus, [one.source_id for one in current.sources], told).collect(queries)
    return _evaluation(corpus, current, current.estimation_id, cases, reader.name, runtime.settings.kappa)


class CaseCollector:
    """Hears every source, and one reader over all of them, on each query."""

    def __init__(
        self, runtime: Runtime, corpus: Corpus, source_ids: Sequence[UUID], told: Callable[[int, int], None]
    ) -> None:
        self._runtime = runtime
        self._corpus = corpus
        self._source_ids = source_ids
        self._told = told
        self._reader = CachedReader(runtime.require_reader(), runtime.database)

    async def collect(self, queries: Sequence[Query]) -> list[Case]:
        """One case a query, in their order."""
        vectors = await self._runtime.embedder.embed([query.text for query in queries])
        todo = iter(list(enumerate(zip(queries, vectors, strict=True))))
        cases: dict[int, Case] = {}

        async def work() -> None:
            for place, (query, vector) in todo:
                cases[place] = await self._case(query, vector)
                self._told(len(cases), len(queries))

        await run_concurrently(*(work() for _ in range(IN_FLIGHT)))
        return [cases[place] for place in range(len(queries))]

    async def _case(self, query: Query, vector: Vector) -> Case:
        found = await self._search(query, vector)
        each = self._runtime.settings.passages_per_source
        shown = {source_id: some[:each] for source_id, some in found.items() if some}
        nearest = sorted((one for some in found.values() for one in some), key=lambda one: -one.similarity)
        pooled = texts(nearest[:POOLED_PASSAGES])
        asked = [texts(some) for some in shown.values()] + ([pooled] if pooled else [])
        obtained = await self._reader.read_all(query.text, asked)
        check_reader(obtained)
        threshold = self._runtime.settings.alignment_threshold
        casts = {
            source_id: cast(source_id, some, one, threshold)
            for (source_id, some), one in zip(shown.items(), obtained[: len(shown)], strict=True)
        }
        whole = obtained[-1].reading if pooled else None
        aligned = align(whole.answer, pooled, threshold) if whole else None
        return Case(
            query_id=query.id,
            text=query.text,
            gold_answers=tuple(query.gold_answers or ()),
            readings={source_id: _reading(casts.get(source_id)) for source_id in self._source_ids},
            one_reader=aligned.answer if aligned and aligned.reason is AlignmentReason.ALIGNED else None,
        )

    async def _search(self, query: Query, vector: Vector) -> dict[UUID, list[RetrievedPassage]]:
        found: dict[UUID, list[RetrievedPassage]] = {}
        depth = max(self._runtime.settings.passages_per_source, POOLED_PASSAGES)
        for start in range(0, len(self._source_ids), SOURCES_PER_SEARCH):
            some = self._source_ids[start : start + SOURCES_PER_SEARCH]
            async with self._runtime.database.begin() as session:
                found |= await passages.top_passages(session, self._corpus, some, query.text, vector, depth)
        return found


def _reading(said: Cast | None) -> SourceReading:
    if said is None:
        return SourceReading(ReadingStatus.NO_PASSAGES)
    if said.status is not ReadingStatus.ANSWERED or said.answer is None:
        return SourceReading(said.status)
    return SourceReading(said.status, answer_key(said.answer, POLICY), said.answer)


def _evaluation(
    corpus: Corpus, current: Reliabilities, estimation_id: UUID, cases: Sequence[Case], reader: str, kappa: int
) -> Evaluation:
    weights, source_ids = Weights(current), [one.source_id for one in current.sources]
    given = {
        name: [method(case) for case in cases]
        for name, method in metrics.methods(cases, weights, source_ids, kappa).items()
    }
    found = metrics.source_evaluations(cases, current.sources)
    correlation, difference = metrics.agreement(found)
    return Evaluation(
        corpus=corpus.name,
        created_at=datetime.now(UTC),
        estimation_id=estimation_id,
        reader=reader,
        kappa=kappa,
        queries=len(cases),
        methods=tuple(metrics.method_score(name, cases, some, kappa) for name, some in given.items()),
        calibration=metrics.calibration(cases, given["selected"]),
        sources=found,
        correlation=correlation,
        mean_difference=difference,
        mistakes=metrics.mistakes(cases, given["selected"]),
        notes=_notes(len(cases)),
    )


def _notes(count: int) -> tuple[str, ...]:
    if count >= FEW_QUERIES:
        return ()
    return (f"{count} queries with gold answers tell little: read the intervals, not the shares.",)
