"""`python -m benchmarks.languages.retrieval`: search in eleven languages, on public sets of questions on passages.

Each embedder that runs on this machine is measured; that of the extra `languages` where it is installed. Of each
language up to 240 passages and a question on each are drawn by their hashes; the passages of a language are
documents of one source, in a corpus with the dictionary of the language. Relevant is the one document that a question
was asked on, so that nDCG@10 is 1 / log2(1 + its place), 0 below the tenth.
"""

import asyncio
import hashlib
import json
import math
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from pgvector import HalfVector
from sqlalchemy import text
from sqlalchemy.engine import URL

from answering.embedders import Embedder, WordLlamaEmbedder
from answering.embedders.e5 import E5Embedder
from answering.errors import ModelRefused
from answering.passages import RetrievedPassage
from answering.readers import CompactReader
from answering.text.language import ENGLISH, language_name
from benchmarks.data.language_sets import FOLDER, LANGUAGE_SETS, load_language_set
from benchmarks.data.squad import Example, load_squad
from benchmarks.harness import Benchmark, Cell, Headline, Report, database, run
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput, TextSearch
from registry.documents.imports import import_documents_of_sources
from registry.passages.store import top_passages
from registry.passages.store.indexes import words_of
from registry.runtime import Runtime
from registry.search.service import search
from registry.sources import store as sources
from registry.sources.model import Source

ENGLISH_SET = Path("reader_train/xquad.en.json.gz")
BENCHMARK = Benchmark(
    "languages.retrieval",
    "search in eleven languages, by the embedder that everybody has and that of the extra `languages`",
    page="languages",
    headlines=(
        Headline(
            "nDCG@10 of search, mean of ten languages",
            "e5.search",
            {"embedding alone": "e5.embedding", "wordllama": "wordllama.search", "words alone": "wordllama.words"},
        ),
        Headline(
            "nDCG@10 of what a reader gets, mean of ten languages",
            "e5.read",
            {"wordllama": "wordllama.read", "words alone": "wordllama.words"},
        ),
        Headline("nDCG@10 of search in English", "e5.search.en", {"wordllama": "wordllama.search.en"}),
        Headline(
            "the same, by how much the worst language is below it",
            "e5.search.below_english",
            {"wordllama": "wordllama.search.below_english"},
            aim=0.05,
            higher_is_better=False,
        ),
    ),
)
# The first set of each language; Chinese in its simplified script only.
SETS = {
    language: next(kinds)
    for language, kinds in groupby(LANGUAGE_SETS, key=attrgetter("language"))
    if language != "zh-tw"
}
PASSAGES, QUICK = 240, 12
TOP = 10
# Passages asked for: several may be of one document.
DEPTH = 30
ANY_WORD = text(
    """
    SELECT documents.external_id FROM passages JOIN documents ON documents.id = passages.document_id
    WHERE passages.source_id = :source_id AND lexemes @@ CAST(:words AS tsquery)
    ORDER BY ts_rank(lexemes, CAST(:words AS tsquery)) DESC, document_id, ordinal LIMIT :depth
    """
)
NEAREST = text(
    """
    SELECT documents.external_id FROM passages JOIN documents ON documents.id = passages.document_id
    WHERE passages.source_id = :source_id
    ORDER BY embedding <=> CAST(:vector AS halfvec), document_id, ordinal LIMIT :depth
    """
)
# By the words of the question alone; by its embedding alone; `POST search`, by both; and for a reader, where passages
# with all words of the names in the question come first.
WORDS, EMBEDDING, SEARCH, READ = "words", "embedding", "search", "read"
DICTIONARIES = {name.lower() for name in TextSearch.__members__}


@dataclass(frozen=True, slots=True)
class Asked:
    """A passage and a question on it."""

    passage: str
    question: str


@dataclass(frozen=True, slots=True)
class Found:
    """What is found in a language: nDCG@10 of each way to search."""

    ndcg: Mapping[str, float]
    milliseconds: float
    """Processor time of storing a document."""


def samples(data: Path, count: int) -> Iterator[tuple[str, list[Asked]]]:
    """Passages with a question each, by language."""
    yield "en", _sample(load_squad(data / ENGLISH_SET), count)
    for language, kind in SETS.items():
        yield language, _sample(load_language_set(data, kind), count)


def _sample(examples: Iterable[Example], count: int) -> list[Asked]:
    questions: dict[str, list[str]] = {}
    for example in examples:
        if example.answer:
            questions.setdefault(example.passage, []).append(example.question)
    chosen = sorted(questions, key=hash_of)[:count]
    return [Asked(passage, min(questions[passage], key=hash_of)) for passage in chosen]


def hash_of(value: str) -> bytes:
    """What samples are drawn by."""
    return hashlib.sha256(value.encode()).digest()


def dictionary(language: str) -> TextSearch:
    """The text search configuration of a language; `simple` where Postgres has none."""
    name = language_name(language).lower()
    return TextSearch(name) if name in DICTIONARIES else TextSearch.SIMPLE


def measure(report: Report) -> None:
    """One row a language; of each embedder also the mean over the other languages, and how far the worst is below
    English.
    """
    report.folder(FOLDER)
    asked = dict(samples(report.options.data, QUICK if report.options.quick else PASSAGES))
    rows: dict[str, list[Cell]] = {language: [language_name(language), len(of)] for language, of in asked.items()}
    columns = ["language", "passages", "words alone"]
    for name, embedder in _embedders(report):
        with database.temporary_server() as (url, _):
            found = asyncio.run(_measure(embedder, asked, url))
        columns += [f"{name}: alone", "search", "for a reader", "ms a document"]
        for language, of in found.items():
            ways = (WORDS, EMBEDDING, SEARCH, READ)[len(rows[language]) > 2 :]
            rows[language] += [*(f"{of.ndcg[way]:.2f}" for way in ways), f"{of.milliseconds:.0f}"]
        for way in (WORDS, EMBEDDING, SEARCH, READ):
            values = {language: of.ndcg[way] for language, of in found.items()}
            for language, value in values.items():
                report.figure(f"{name}.{way}.{language}", value)
            english = values.pop(ENGLISH)
            report.figure(f"{name}.{way}", sum(values.values()) / len(values))
            report.figure(f"{name}.{way}.below_english", english - min(values.values()))
    report.table("nDCG@10 of search", columns, list(rows.values()))


def _embedders(report: Report) -> Iterator[tuple[str, Embedder]]:
    yield "wordllama", WordLlamaEmbedder()
    try:
        yield "e5", E5Embedder()
    except ModelRefused as absent:
        report.rival_skipped("e5", str(absent))


async def _measure(embedder: Embedder, asked: Mapping[str, Sequence[Asked]], url: URL) -> dict[str, Found]:
    """What is found in each language."""
    async with database.opened(url, CompactReader(), embedder) as runtime:
        return {language: await _of_language(runtime, language, of) for language, of in asked.items()}


async def _of_language(runtime: Runtime, language: str, asked: Sequence[Asked]) -> Found:
    async with runtime.database.begin() as session:
        corpus = await corpora.create(session, CorpusInput(name=language, text_search=dictionary(language)))
    began = time.process_time()
    results = import_documents_of_sources(runtime, corpus, _lines(asked))
    assert not [result.error async for result in results if result.error]  # noqa: S101
    milliseconds = (time.process_time() - began) * 1000 / len(asked)
    async with runtime.database.begin() as session:
        source = await sources.find(session, corpus, "all")
    gains: dict[str, list[float]] = {WORDS: [], EMBEDDING: [], SEARCH: [], READ: []}
    for number, one in enumerate(asked):
        for way, documents in (await _found(runtime, corpus, source, one.question)).items():
            gains[way].append(gain(documents, str(number)))
    return Found({way: sum(values) / len(asked) for way, values in gains.items()}, milliseconds)


async def _lines(asked: Sequence[Asked]) -> AsyncIterator[bytes]:
    for number, one in enumerate(asked):
        yield json.dumps({"source": "all", "external_id": str(number), "content": one.passage}).encode()


async def _found(runtime: Runtime, corpus: Corpus, source: Source, question: str) -> dict[str, Iterable[str]]:
    """The documents that each way finds, the best first; one may be named several times."""
    (vector,) = await runtime.embedder.embed([question])
    async with runtime.database.begin() as session:
        words = (await words_of(session, corpus, question)).any
        parameters = {"source_id": source.id, "words": words, "vector": HalfVector(vector).to_text(), "depth": DEPTH}
        by_words = (await session.scalars(ANY_WORD, parameters)).all()
        by_embedding = (await session.scalars(NEAREST, parameters)).all()
        passages = (await top_passages(session, corpus, [source.id], question, vector, DEPTH))[source.id]
    hits = await search(runtime, corpus, question, limit=DEPTH)
    by_both = {SEARCH: _documents([hit.passage for hit in hits]), READ: _documents(passages)}
    return {WORDS: by_words, EMBEDDING: by_embedding, **by_both}


def _documents(passages: Sequence[RetrievedPassage]) -> list[str]:
    return [passage.external_id for passage in passages]


def gain(documents: Iterable[str], right: str) -> float:
    """nDCG@10 of one relevant document."""
    places = {document: place for place, document in enumerate(dict.fromkeys(documents), start=1)}
    place = places.get(right, math.inf)
    return 1 / math.log2(1 + place) if place <= TOP else 0.0


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
