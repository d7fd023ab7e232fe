"""Worlds: which source publishes what, drawn after RA-RAG section 4 from a seed, with the truth beside it."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from random import Random

from benchmarks.multisource.errors import BadWorld
from benchmarks.multisource.facts import WRONG_ANSWERS, Fact
from benchmarks.multisource.wordings import irrelevant, lies, passages, poisoned

BETA = (6.0, 4.0)
SPAMMER, HAMMER = 0.1, 0.9
COVERAGE = 0.6
_FIRST_DAY = datetime(2020, 1, 1, tzinfo=UTC)


class Prior(StrEnum):
    """Where reliabilities come from."""

    BETA = "beta"
    """Beta(6, 4), of mean 0.6."""
    SPAMMER_HAMMER = "spammer_hammer"
    """The first `spammers` sources are right with 0.1, the others with 0.9."""


class Stance(StrEnum):
    """What a source has on a question."""

    FACTUAL = "factual"
    MISINFORMATION = "misinformation"
    IRRELEVANT = "irrelevant"


@dataclass(frozen=True, slots=True)
class Setting:
    """A family of worlds; with a seed and facts it is one of them."""

    name: str
    sources: int = 9
    prior: Prior = Prior.BETA
    spammers: int = 0
    coverage: float = COVERAGE
    estimation: int = 200
    """Questions that estimate reliability; those that are left test."""
    test: int = 400
    """At most."""
    copiers: int = 0
    """So many of the last sources copy the first one, wholly, on nine questions in ten that it knows."""
    topics: bool = False
    """Whether every source knows only half of the articles well: right with 0.9 there, with 0.3 elsewhere."""
    turning: int = 0
    """So many of the last sources are right with 0.9 until half of the time has passed, with 0.1 afterwards."""
    poisoned: float = 0.0
    """Share of the test questions for which the last source publishes five passages made to be found."""


@dataclass(frozen=True, slots=True)
class Item:
    """A question of the world, and what each source has on it."""

    fact: Fact
    is_test: bool
    day: int
    """When it was written about, counted in days."""
    stances: tuple[Stance, ...]
    told: tuple[str | None, ...]
    """The answer that each source gives; None where it has none."""
    poisoned: bool = False
    """Whether the last source has passages made to be found for this question."""


@dataclass(frozen=True, slots=True)
class Document:
    """What a source publishes."""

    external_id: str
    title: str
    content: str
    published_at: str


@dataclass(frozen=True, slots=True)
class Publisher:
    """A source, its true reliability and all its documents."""

    name: str
    reliability: float
    documents: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class World:
    """A corpus with the truth about it."""

    setting: Setting
    seed: int
    publishers: tuple[Publisher, ...]
    items: tuple[Item, ...]

    def lines(self) -> Iterator[str]:
        """The whole world as JSON lines, the same ones whenever it is built."""
        yield json.dumps({"setting": asdict(self.setting), "seed": self.seed}, sort_keys=True)
        for item in self.items:
            yield json.dumps(asdict(item), ensure_ascii=False, sort_keys=True)
        for publisher in self.publishers:
            yield json.dumps(asdict(publisher), ensure_ascii=False, sort_keys=True)

    def digest(self) -> str:
        """SHA-256 over all of it."""
        return hashlib.sha256("\n".join(self.lines()).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Told:
    """One source on one question: its stance, its answer, its passages."""

    stance: Stance
    answer: str | None
    texts: tuple[str, ...]


def build(setting: Setting, seed: int, facts: Sequence[Fact]) -> World:
    """The world of a seed. Raises `BadWorld` where there are too few facts to test with."""
    random = Random(f"{setting.name}:{seed}")
    chosen = random.sample(list(facts), min(len(facts), setting.estimation + setting.test))
    if len(chosen) <= setting.estimation:
        raise BadWorld(f"{len(chosen)} questions leave none to test with beside {setting.estimation} that estimate")
    reliabilities = _reliabilities(setting, random)
    days = {fact.id: day for day, fact in enumerate(random.sample(chosen, len(chosen)))}
    told = [_question(setting, fact, days[fact.id] / len(chosen), reliabilities, seed) for fact in chosen]
    hit = _poison(setting, chosen, told, random)
    items = tuple(
        Item(
            fact,
            place >= setting.estimation,
            days[fact.id],
            tuple(one.stance for one in some),
            tuple(one.answer for one in some),
            poisoned=place in hit,
        )
        for place, (fact, some) in enumerate(zip(chosen, told, strict=True))
    )
    publishers = tuple(
        Publisher(f"Source {source}", reliability, _documents(source, items, told))
        for source, reliability in enumerate(reliabilities)
    )
    return World(setting, seed, publishers, items)


def _reliabilities(setting: Setting, random: Random) -> list[float]:
    if setting.prior is Prior.SPAMMER_HAMMER:
        drawn = [SPAMMER] * setting.spammers + [HAMMER] * (setting.sources - setting.spammers)
    else:
        drawn = [random.betavariate(*BETA) for _ in range(setting.sources)]
    first_copier = setting.sources - setting.copiers
    return [drawn[0] if source >= first_copier else one for source, one in enumerate(drawn)]


def _question(setting: Setting, fact: Fact, time: float, reliabilities: Sequence[float], seed: int) -> list[_Told]:
    """What every source has on a question; each is drawn by itself, so that fewer sources are the first of more."""
    told: list[_Told] = []
    for source, reliability in enumerate(reliabilities):
        random = Random(f"{setting.name}:{seed}:{source}:{fact.id}")
        copied = told[0] if source >= setting.sources - setting.copiers and random.random() < 0.9 else None
        right = _right_with(setting, source, reliability, fact, time)
        told.append(copied or _told(fact, right, setting.coverage, random))
    return told


def _right_with(setting: Setting, source: int, reliability: float, fact: Fact, time: float) -> float:
    """How probably a source that knows something is right about this question, at this time in [0, 1)."""
    if setting.topics:
        mine = hashlib.sha256(fact.title.encode()).digest()[0] % 2 == source % 2
        return 0.9 if mine else 0.3
    if source >= setting.sources - setting.turning:
        return 0.9 if time < 0.5 else 0.1
    return reliability


def _told(fact: Fact, reliability: float, coverage: float, random: Random) -> _Told:
    if random.random() >= coverage:
        return _Told(Stance.IRRELEVANT, None, tuple(irrelevant(fact, random)))
    if random.random() < reliability:
        return _Told(Stance.FACTUAL, fact.golds[0], tuple(passages(fact, fact.golds[0], random)))
    wrong = random.randrange(WRONG_ANSWERS)
    return _Told(Stance.MISINFORMATION, fact.wrong[wrong], tuple(lies(fact, wrong)))


def _poison(setting: Setting, chosen: Sequence[Fact], told: Sequence[list[_Told]], random: Random) -> frozenset[int]:
    """The last source publishes poisoned passages for some of the test questions, whatever it said before."""
    tested = range(setting.estimation, len(chosen))
    hit = frozenset(random.sample(tested, round(setting.poisoned * len(tested))))
    for place in sorted(hit):
        wrong = random.randrange(WRONG_ANSWERS)
        texts = tuple(poisoned(chosen[place], wrong))
        told[place][-1] = _Told(Stance.MISINFORMATION, chosen[place].wrong[wrong], texts)
    return hit


def _documents(source: int, items: Sequence[Item], told: Sequence[Sequence[_Told]]) -> tuple[Document, ...]:
    return tuple(
        Document(
            external_id=f"{item.fact.id}-{place}",
            title=item.fact.title,
            content=text,
            published_at=(_FIRST_DAY + timedelta(days=item.day)).isoformat(),
        )
        for item, some in zip(items, told, strict=True)
        for place, text in enumerate(some[source].texts)
    )
