"""The web results in the service: a source for every site, an unlabelled query for every question, and liars."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from benchmarks.multisource.service import add_queries, asked, publish, publish_more
from benchmarks.web.questions import WebQuestion, WebResult
from registry.answers.schemas import AnswerParameters
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput
from registry.documents.schemas import DocumentInput
from registry.runtime import Runtime
from registry.sources.reliabilities import current_reliabilities

ALL_SOURCES = 1000
METHODS: Mapping[str, AnswerParameters] = {
    "as it comes": AnswerParameters(),
    **{f"kappa {kappa}": AnswerParameters(kappa=kappa) for kappa in (1, 4, 16)},
    "all candidates": AnswerParameters(kappa=ALL_SOURCES, batch=64),
}
DEFAULT = "as it comes"


@dataclass(frozen=True, slots=True)
class MethodAnswer:
    """The answer of a method to a question, what it read for it, and what those said whom it asked."""

    answer: str | None
    readings: int = 0
    seconds: float = 0.0
    votes: tuple[str, ...] = ()
    outcome: str = ""
    confidence: float = 0.0


async def load(runtime: Runtime, name: str, questions: Sequence[WebQuestion]) -> Corpus:
    """A corpus with all results and queries."""
    async with runtime.database.begin() as session:
        corpus = await corpora.create(session, CorpusInput(name=name))
    by_site: defaultdict[str, list[DocumentInput]] = defaultdict(list)
    for question in questions:
        for number, result in enumerate(question.results):
            by_site[result.site].append(_document(f"{question.id}-{number}", result))
    for site, documents in by_site.items():
        await publish(runtime, corpus, site, documents)
    await add_queries(runtime, corpus, {question.id: question.text for question in questions})
    return corpus


def _document(external_id: str, result: WebResult) -> DocumentInput:
    return DocumentInput(external_id=external_id, title=result.title[:200], content=result.content or result.site)


async def add_new_liars(runtime: Runtime, corpus: Corpus, questions: Sequence[WebQuestion], numbers: range) -> None:
    """For each question new sites that publish one text with the wrong answer each."""
    for question in questions:
        for number in numbers:
            documents = [DocumentInput(external_id="lie", content=question.wrong_texts[number])]
            await publish(runtime, corpus, f"liar-{question.id}-{number}.example", documents)


async def corrupt_trusted(runtime: Runtime, corpus: Corpus, questions: Sequence[WebQuestion], count: int) -> None:
    """Let the most reliable sources publish a text with the wrong answer to every question."""
    for number, source_id in enumerate((await _by_reliability(runtime, corpus))[:count]):
        lies = [
            DocumentInput(external_id=f"lie-{question.id}", content=question.wrong_texts[number])
            for question in questions
        ]
        await publish_more(runtime, corpus, source_id, lies)


async def _by_reliability(runtime: Runtime, corpus: Corpus) -> list[UUID]:
    async with runtime.database.begin() as session:
        reliabilities = await current_reliabilities(session, corpus)
    electorate = reliabilities.electorate()
    source_ids = [source.source_id for source in reliabilities.sources]
    return sorted(source_ids, key=lambda source_id: (-electorate.reliability(source_id), str(source_id)))


async def answered(
    runtime: Runtime, corpus: Corpus, questions: Sequence[WebQuestion], parameters: AnswerParameters
) -> list[MethodAnswer]:
    """The service's answers, one question after the other."""
    answers = []
    for question in questions:
        result, seconds = await asked(runtime, corpus, question.text, parameters)
        answers.append(
            MethodAnswer(
                answer=result.answers[0] if result.answers else None,
                readings=result.usage.readings,
                seconds=seconds,
                votes=tuple(source.answer for source in result.selected_sources),
                outcome=result.outcome,
                confidence=result.confidence,
            )
        )
    return answers
