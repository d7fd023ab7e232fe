"""Real corpora in the service: web results, pages on health, and data sets on countries, without any query."""

import gzip
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from benchmarks.multisource.service import publish
from benchmarks.web.questions import load as load_web
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput
from registry.documents.schemas import DocumentInput
from registry.runtime import Runtime

Document = tuple[str, DocumentInput]
"""The name of a source, and a document of it."""


def countries(folder: Path) -> Iterator[Document]:
    """Eleven data sets on countries."""
    for row in _rows(folder / "documents.ndjson.gz"):
        media_type = row.pop("content_type", None)
        yield row.pop("source"), DocumentInput(**row, **({"media_type": media_type} if media_type else {}))


def health(folder: Path) -> Iterator[Document]:
    """Passages of web pages on questions of health."""
    for number, row in enumerate(_rows(folder / "pages.jsonl.gz")):
        yield row["site"] or "unknown", DocumentInput(external_id=str(number), content=row["text"])


def web(folder: Path) -> Iterator[Document]:
    """Web results for questions on current affairs, as the search engine shows them."""
    for question in load_web(folder / "questions.json.gz"):
        for number, result in enumerate(question.results):
            title, content = result.title[:200], result.content or result.site
            yield result.site, DocumentInput(external_id=f"{question.id}-{number}", title=title, content=content)


FOLDERS: Mapping[str, Callable[[Path], Iterator[Document]]] = {
    "countries": countries,
    "health_pages_dev": health,
    "realtime_web": web,
}


async def load(runtime: Runtime, name: str, documents: Iterator[Document]) -> Corpus:
    """A corpus with these documents."""
    async with runtime.database.begin() as session:
        corpus = await corpora.create(session, CorpusInput(name=name))
    by_source: defaultdict[str, list[DocumentInput]] = defaultdict(list)
    for source, document in documents:
        by_source[source[:200]].append(document)
    for source, of_source in by_source.items():
        await publish(runtime, corpus, source, of_source)
    return corpus


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)
