"""Measures every language by itself; `--model` (or BENCHMARK_CHAT) adds a language model as a reader and a judge."""

import argparse
import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from sqlalchemy.engine import URL

from answering.equivalence import answer_key
from answering.judges import ChatJudge, CompactJudge, Judge, Label, Pair
from answering.readers import ChatReader, CompactReader, Reader
from answering.text.language import ENGLISH, language_name, language_of
from benchmarks.harness import Report, database, run
from benchmarks.harness.language_model import StandIn, add_model_options, foretell, language_model
from benchmarks.languages import BENCHMARK
from benchmarks.languages.questions import Item, items
from benchmarks.languages.retrieval import dictionary
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput, TextSearch
from registry.documents.imports import import_documents_of_sources
from registry.passages.store import top_passages
from registry.runtime import Runtime
from registry.sources import store as sources

NUMBERS = itertools.count()


def measure(report: Report) -> None:
    """One row a language, and the mean of those that are not English."""
    with database.temporary_server() as (url, _):
        asyncio.run(_measure(report, url))


async def _measure(report: Report, url: URL) -> None:
    measures: dict[str, Callable[[Sequence[Item]], Awaitable[float]]] = {"recognised": _recognised}
    reader, judge = CompactReader(), CompactJudge()
    async with database.opened(url, reader) as runtime:
        measures |= {
            "found": lambda of: _found(runtime, of, dictionary(of[0].language)),
            "found_plainly": lambda of: _found(runtime, of, TextSearch.SIMPLE),
            "read": lambda of: _read(reader, of),
            "misread": lambda of: _misread(reader, of),
            "judged": lambda of: _judged(judge, of),
        }
        if report.options.extra.model and not report.options.quick:
            chat = language_model(report.options.extra.model)
            if await _foretell(report, StandIn(chat.name)):
                measures |= {
                    "read_by_model": lambda of: _read(ChatReader(chat), of),
                    "judged_by_model": lambda of: _judged(ChatJudge(chat), of),
                }
        rows = []
        for language, of in items():
            chosen = of[:5] if report.options.quick else of
            shares = {name: await share(chosen) for name, share in measures.items()}
            for name, value in shares.items():
                report.figure(f"{name}.{language}", value)
            rows.append([language_name(language), dictionary(language), *(f"{value:.2f}" for value in shares.values())])
    for name in measures:
        others = [report.figures[f"{name}.{language}"] for language, _ in items() if language != ENGLISH]
        report.figure(name, sum(others) / len(others))
    report.table("Shares of the questions", ["language", "dictionary", *(TITLES[name] for name in measures)], rows)


async def _foretell(report: Report, stand_in: StandIn) -> bool:
    for _, of in items():
        await _read(ChatReader(stand_in), of)
        await _judged(ChatJudge(stand_in), of)
    return foretell(report, stand_in.usage)


TITLES = {
    "recognised": "language recognised",
    "found": "right passage first",
    "found_plainly": "the same without a dictionary",
    "read": "compact reader right",
    "misread": "wrong",
    "judged": "compact judge right",
    "read_by_model": "language model reads right",
    "judged_by_model": "judges right",
}


async def _recognised(of: Sequence[Item]) -> float:
    return sum(language_of(item.question) == item.language for item in of) / len(of)


async def _found(runtime: Runtime, of: Sequence[Item], text_search: TextSearch) -> float:
    """How often the passage that answers is the first among those of all languages, which have the same names."""
    async with runtime.database.begin() as session:
        name = f"corpus-{next(NUMBERS)}"
        corpus = await corpora.create(session, CorpusInput(name=name, text_search=text_search))
    results = import_documents_of_sources(runtime, corpus, _lines())
    assert not [result.error async for result in results if result.error]  # noqa: S101
    return sum([await _finds(runtime, corpus, item) for item in of]) / len(of)


async def _lines() -> AsyncIterator[bytes]:
    for number, item in enumerate(item for _, of in items() for item in of):
        yield json.dumps({"source": "all", "external_id": str(number), "content": item.passage}).encode()


async def _finds(runtime: Runtime, corpus: Corpus, item: Item) -> bool:
    (vector,) = await runtime.embedder.embed([item.question])
    async with runtime.database.begin() as session:
        source = await sources.find(session, corpus, "all")
        ranked = await top_passages(session, corpus, [source.id], item.question, vector, 1)
    return [passage.content for passage in ranked[source.id]] == [item.passage]


async def _read(reader: Reader, of: Sequence[Item]) -> float:
    """How often the answer is the right one."""
    return sum([await _answer(reader, item) == answer_key(item.answer) for item in of]) / len(of)


async def _misread(reader: Reader, of: Sequence[Item]) -> float:
    """How often there is an answer, and another one."""
    return sum([await _answer(reader, item) not in {None, answer_key(item.answer)} for item in of]) / len(of)


async def _answer(reader: Reader, item: Item) -> str | None:
    """The class of the answer; None for none."""
    answer = (await reader.read(item.question, [item.passage])).answer
    return None if answer is None else answer_key(answer)


async def _judged(judge: Judge, of: Sequence[Item]) -> float:
    """Right verdicts on the true statements, which the passage supports, and the false ones, which it contradicts."""
    pairs = [Pair(item.statement, item.passage) for item in of]
    pairs += [Pair(item.false_statement, item.passage) for item in of]
    expected = [Label.SUPPORTS] * len(of) + [Label.CONTRADICTS] * len(of)
    judgements = await judge.judge_all(pairs)
    return sum(judgement.label is label for judgement, label in zip(judgements, expected, strict=True)) / len(pairs)


def add_options(parser: argparse.ArgumentParser) -> None:
    """A language model that reads and judges too."""
    add_model_options(parser)


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure, add_options=add_options))
