"""A small world whose truth is known: sources that state colours of towers, and a reader that finds the colours."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from sqlalchemy import select

from registry.corpora.model import Corpus
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.queries import store as queries
from registry.queries.schemas import QueryInput
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.schemas import SourceInput
from tests.fakes.scripted_reader import ScriptedReader
from tests.remembered import State, connected, is_empty, restore, save

_worlds: dict[str, State] = {}
NO_DATES: Mapping[str, datetime] = {}
STATEMENT = re.compile(r"The tower of (\w+) is painted (\w+)\.")


def question(tower: str) -> str:
    return f"What colour is the tower of {tower} painted?"


def colour_reader(*, delay: float = 0.0) -> ScriptedReader:
    """Reads the colour of the tower asked for, or abstains."""

    def read(asked: str, passages: Sequence[str]) -> str | None:
        statements = STATEMENT.findall(" ".join(passages))
        return next((colour for tower, colour in statements if f"of {tower} " in asked), None)

    return ScriptedReader(read, delay=delay)


async def build(
    runtime: Runtime,
    corpus: Corpus,
    stated: Mapping[str, Mapping[str, str]],
    asked: Sequence[str] = (),
    dates: Mapping[str, datetime] = NO_DATES,
) -> dict[str, Source]:
    """Sources by name, each with a document a tower, which may have a date; queries about the towers asked for.

    Where the database is empty, a world is built once in a process and then copied back.
    """
    settings = runtime.settings.model_copy(update={"data_dir": None})
    how = (
        corpus.id,
        corpus.text_search,
        corpus.max_documents,
        corpus.max_stored_bytes,
        runtime.embedder.name,
        settings,
    )
    key = repr((runtime.database.url, how, stated, asked, dates))
    with connected(runtime.database.url) as connection:
        fresh = is_empty(connection)
        if fresh and key in _worlds:
            restore(connection, _worlds[key])
    if not fresh or key not in _worlds:
        await _build(runtime, corpus, stated, asked, dates)
        if fresh:
            with connected(runtime.database.url) as connection:
                _worlds[key] = save(connection)
    async with runtime.database.begin() as session:
        rows = await session.scalars(select(Source).where(Source.corpus_id == corpus.id))
        by_name = {source.external_id: source for source in rows}
    return {name: by_name[name] for name in stated}


async def _build(
    runtime: Runtime,
    corpus: Corpus,
    stated: Mapping[str, Mapping[str, str]],
    asked: Sequence[str],
    dates: Mapping[str, datetime],
) -> None:
    for name, towers in stated.items():
        async with runtime.database.begin() as session:
            source = await sources.create(session, corpus, SourceInput(external_id=name, name=name.title()))
        documents = [
            DocumentInput(
                external_id=tower,
                title=tower,
                content=f"By {name}. The tower of {tower} is painted {colour}.",
                published_at=dates.get(tower),
            )
            for tower, colour in towers.items()
        ]
        await ingest(runtime, corpus, source.id, documents)
    async with runtime.database.begin() as session:
        for tower in asked:
            await queries.create(session, corpus, QueryInput(external_id=tower, text=question(tower)))


TOWERS = ("Aldra", "Brin", "Corvo", "Delm", "Esk", "Farn")
TRUTH = dict(zip(TOWERS, ("red", "blue", "green", "white", "black", "yellow"), strict=True))


def honest() -> dict[str, str]:
    return dict(TRUTH)


def liar(*wrong: str) -> dict[str, str]:
    """Tells the truth but about these towers."""
    return TRUTH | dict.fromkeys(wrong, "purple")


STEADY = ("herald", "gazette", "times", "post")
DAILY_TOWERS = tuple(
    head + tail
    for head in ("Al", "Bren", "Cor", "Del", "Es")
    for tail in ("dra", "vik", "mund", "stead", "wick", "holm")
)
DAYS = tuple(datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=day) for day in range(len(DAILY_TOWERS)))
TURN = 16


async def build_turning(
    runtime: Runtime, corpus: Corpus, more: Mapping[str, tuple[str, datetime]] | None = None
) -> dict[str, Source]:
    """A tower a day: four sources that err on their own every fifth day, and `turncoat`, which errs from day `TURN` on.

    The last one also gives the colours of further towers, on these dates.
    """
    dates = dict(zip(DAILY_TOWERS, DAYS, strict=True)) | {tower: date for tower, (_, date) in (more or {}).items()}
    stated = {
        name: {tower: _colour(name, day) for day, tower in enumerate(DAILY_TOWERS)} for name in (*STEADY, "turncoat")
    }
    stated["turncoat"] |= {tower: colour for tower, (colour, _) in (more or {}).items()}
    return await build(runtime, corpus, stated, DAILY_TOWERS, dates)


def _colour(source: str, day: int) -> str:
    errs = day >= TURN if source == "turncoat" else day % 5 == STEADY.index(source)
    return f"odd{source}{day}" if errs else f"true{day}"


SEA, MOUNTAINS = "sea", "mountains"
_NAMES = [head + tail for head in ("Al", "Bren", "Cor", "Del", "Es") for tail in ("dra", "vik", "mund", "holm")]
EXPERT_TOWERS = dict.fromkeys(_NAMES, SEA) | {f"{name}berg": MOUNTAINS for name in _NAMES}
EXPERTS = {SEA: ("anchor", "buoy", "coral"), MOUNTAINS: ("alp", "boulder", "crag")}
_SETTING = {
    SEA: "It stands by the sea, where ships sail into the harbour over waves and tides, and gulls cry.",
    MOUNTAINS: "It stands high in the mountains, where climbers on a rocky summit meet glaciers and snow.",
}


async def publish_experts(runtime: Runtime, corpus: Corpus) -> None:
    """Six sources, each an expert of one topic: it errs on every eighth tower of it, and is right about a fourth of the
    others. Of two more towers, `Harbourlight` and `Summitkeep`, experts of the sea say cyan, those of mountains pink.
    """
    for shift, name in enumerate((*EXPERTS[SEA], *EXPERTS[MOUNTAINS])):
        colours = {tower: _expert_colour(name, tower, place, shift) for place, tower in enumerate(EXPERT_TOWERS)}
        colours |= dict.fromkeys(("Harbourlight", "Summitkeep"), "cyan" if name in EXPERTS[SEA] else "pink")
        topics = EXPERT_TOWERS | {"Harbourlight": SEA, "Summitkeep": MOUNTAINS}
        async with runtime.database.begin() as session:
            source = await sources.create(session, corpus, SourceInput(external_id=name, name=name.title()))
        documents = [
            DocumentInput(
                external_id=tower,
                title=tower,
                content=f"The tower of {tower} is painted {painted}. {_SETTING[topics[tower]]}",
            )
            for tower, painted in colours.items()
        ]
        await ingest(runtime, corpus, source.id, documents)


async def ask_experts(runtime: Runtime, corpus: Corpus, *, given: bool) -> None:
    """A query about each tower, with its topic or without."""
    async with runtime.database.begin() as session:
        for tower, topic in EXPERT_TOWERS.items():
            values = QueryInput(external_id=tower, text=question(tower), topic=topic if given else None)
            await queries.create(session, corpus, values)


def _expert_colour(source: str, tower: str, place: int, shift: int) -> str:
    own = source in EXPERTS[EXPERT_TOWERS[tower]]
    right = (place + shift) % 8 != 0 if own else (place + shift) % 4 == 0
    return f"true{place}" if right else f"odd{source}{place}"
