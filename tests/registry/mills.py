"""Sources that state in which year mills were built, and a reader that finds the years."""

import re
from collections.abc import Mapping, Sequence

from registry.corpora.model import Corpus
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.runtime import Runtime
from registry.sources.model import Source
from registry.sources.store import find_or_create
from tests.fakes.scripted_reader import ScriptedReader

_STATED = re.compile(r"(\w+) Mill was built in (\d{4})")
NAMES = ("herald", "post", "echo")


def built(mill: str, year: int = 1874) -> str:
    return f"{mill} Mill was built in {year}."


def asked(mill: str) -> str:
    return f"In which year was {mill} Mill built?"


def mill_reader() -> ScriptedReader:
    """Finds the year in which the mill that is asked for was built."""

    def read(question: str, passages: Sequence[str]) -> str | None:
        years = dict(_STATED.findall(" ".join(passages)))
        return next((year for mill, year in years.items() if f"{mill} Mill" in question), None)

    return ScriptedReader(read)


async def publish(
    runtime: Runtime, corpus: Corpus, stated: Mapping[str, Sequence[str]], *, signed: bool = True
) -> None:
    """Sources by name, each with a document a text, which it signs: equal texts are copies."""
    for name, texts in stated.items():
        async with runtime.database.begin() as session:
            source = (await find_or_create(session, corpus, [name]))[name]
        assert isinstance(source, Source)
        documents = [
            DocumentInput(external_id=f"{name}-{text}"[:60], content=f"{text} By {name.title()}." if signed else text)
            for text in texts
        ]
        await ingest(runtime, corpus, source.id, documents)


async def publish_mills(runtime: Runtime, corpus: Corpus, *mills: str, sources: Sequence[str] = NAMES) -> None:
    """Sources that say the same of these mills."""
    await publish(runtime, corpus, {name: [built(mill) for mill in mills] for name in sources})
