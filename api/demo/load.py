"""The demo corpus is written into the registry, where what is there stays as it is; then its questions are asked."""

from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass

from api.demo.audit import Gold
from api.demo.corpus import DemoQuestion, lines_of, load_corpus
from registry.answers import service as answers
from registry.answers.result_schemas import AnswerResult
from registry.answers.schemas import AnswerParameters
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput
from registry.documents.imports import import_documents_of_sources, import_queries
from registry.documents.schemas import LineResult
from registry.estimations.schemas import EstimationParameters
from registry.platform.enums import QueryOrigin
from registry.platform.errors import Conflict, NotFound, RegistryError
from registry.runtime import Runtime
from registry.sources import store as sources

NAME = "demo"
DESCRIPTION = "What eleven publishers write about Velmarra, an island that does not exist."

# Gold answers of the demo only judge its estimation, and so do the queries of a person that have them.
PARAMETERS = EstimationParameters(use_gold=False)
GENERATED = PARAMETERS.model_copy(update={"origin": QueryOrigin.GENERATED})
GIVEN = PARAMETERS.model_copy(update={"origin": QueryOrigin.GIVEN})


class DemoRejected(RegistryError):
    """A line of the demo's own files was refused."""


@dataclass(frozen=True, slots=True)
class LoadedCorpus:
    """The corpus in the registry; `documents` counts the results of their import by status."""

    corpus: Corpus
    documents: Counter[str]

    @property
    def new_documents(self) -> int:
        """Documents that are new or changed."""
        return self.documents["created"] + self.documents["updated"]


async def load(runtime: Runtime) -> LoadedCorpus:
    """Register the corpus, its sources, documents and the queries of a person; raises what `load_documents` raises."""
    loaded = await load_documents(runtime)
    await load_queries(runtime, loaded.corpus)
    return loaded


async def load_documents(runtime: Runtime) -> LoadedCorpus:
    """Register the corpus, its sources and documents; raises `Conflict` if another corpus has its name."""
    async with runtime.database.begin() as session:
        try:
            corpus = await corpora.get(session, NAME)
        except NotFound:
            corpus = await corpora.create(session, CorpusInput(name=NAME, description=DESCRIPTION, asked_queries=0))
        if corpus.description != DESCRIPTION:
            raise Conflict(f"There is a corpus named {NAME!r} that is not the demo.")
        for source in load_corpus().sources:
            try:
                await sources.find(session, corpus, source.external_id)
            except NotFound:
                await sources.create(session, corpus, source)
    documents = import_documents_of_sources(runtime, corpus, _lines("documents"))
    return LoadedCorpus(corpus, await _count_statuses(documents))


async def load_queries(runtime: Runtime, corpus: Corpus) -> None:
    """Register the queries of a person with their gold answers."""
    await _count_statuses(import_queries(runtime, corpus, _lines("queries")))


async def _lines(name: str) -> AsyncIterator[bytes]:
    for line in lines_of(name):
        yield line.encode()


async def _count_statuses(results: AsyncIterator[LineResult]) -> Counter[str]:
    counts: Counter[str] = Counter()
    async for result in results:
        if result.error is not None:
            raise DemoRejected(f"The demo's own files are damaged, line {result.line}: {result.error}")
        counts[result.status] += 1
    return counts


@dataclass(frozen=True, slots=True)
class DemoAnswer:
    """A question, its answer from the selected sources, and what all sources would have said with equal votes."""

    question: DemoQuestion
    result: AnswerResult
    all_sources: AnswerResult
    is_right: bool
    majority: tuple[str, ...]
    majority_is_right: bool


async def ask(runtime: Runtime, corpus: Corpus, question: DemoQuestion) -> DemoAnswer:
    """Ask twice, for the answer and for the votes of all sources; no question becomes a query."""
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
