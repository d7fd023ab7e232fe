"""Synthetic corpora: which source publishes what, drawn from a seed as in RA-RAG section 4, with the truth."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from random import Random

from benchmarks.multisource.facts import WRONG_ANSWERS, Fact
from benchmarks.multisource.wordings import irrelevant, misinformation, passages, poisoned
from estimator.errors import CredenceError

BETA = (6.0, 4.0)
SPAMMER, HAMMER = 0.1, 0.9
COVERAGE = 0.6
_FIRST_DAY = datetime(2020, 1, 1, tzinfo=UTC)


class UnusableFacts(CredenceError):
    """A corpus cannot be built from these facts; the message says what to change."""


class Prior(StrEnum):
    """The distribution of reliabilities."""

    BETA = "beta"
    """Beta(6, 4), of mean 0.6."""
    SPAMMER_HAMMER = "spammer_hammer"
    """The first `spammers` sources are right with 0.1, the others with 0.9."""


class Stance(StrEnum):
    """What the documents of a source say on a question."""

    FACTUAL = "factual"
    MISINFORMATION = "misinformation"
    IRRELEVANT = "irrelevant"


@dataclass(frozen=True, slots=True)
class Setting:
    """The parameters of synthetic corpora; a seed and facts determine one of them."""

    name: str
    sources: int = 9
    prior: Prior = Prior.BETA
    spammers: int = 0
    coverage: float = COVERAGE
    spammer_coverage: float | None = None
    """That of the spammers, None for the same."""
    estimation: int = 200
    """Questions that estimate reliability; the others are test questions."""
    test: int = 400
    """Test questions at most."""
    copiers: int = 0
    """The number of last sources that copy the first one on nine in ten of the questions that it covers."""
    topics: bool = False
    """Whether every source is right with 0.9 on one half of the articles, with 0.3 on the other."""
    turning: int = 0
    """The number of last sources that are right with 0.9 in the first half of the time, with 0.1 afterwards."""
    poisoned: float = 0.0
    """Share of the test questions for which the last source publishes poisoned passages."""

    def coverage_of(self, source: int) -> float:
        """The share of the questions that a source has documents on."""
        is_spammer = self.prior is Prior.SPAMMER_HAMMER and source < self.spammers
        return self.coverage if self.spammer_coverage is None or not is_spammer else self.spammer_coverage


@dataclass(frozen=True, slots=True)
class Item:
    """A question, and what each source publishes on it."""

    fact: Fact
    is_test: bool
    day: int
    """The day on which documents on it are published."""
    stances: tuple[Stance, ...]
    published: tuple[str | None, ...]
    """The answer that each source publishes; None where it has none."""
    poisoned: bool = False
    """Whether the last source publishes poisoned passages for it."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document of a source."""

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
class SyntheticCorpus:
    """A corpus with the truth about its sources."""

    setting: Setting
    seed: int
    publishers: tuple[Publisher, ...]
    items: tuple[Item, ...]

    def lines(self) -> Iterator[str]:
        """The corpus as JSON lines, the same for the same setting, seed and facts."""
        yield json.dumps({"setting": asdict(self.setting), "seed": self.seed}, sort_keys=True)
        for item in self.items:
            yield json.dumps(asdict(item), ensure_ascii=False, sort_keys=True)
        for publisher in self.publishers:
            yield json.dumps(asdict(publisher), ensure_ascii=False, sort_keys=True)

    def digest(self) -> str:
        """SHA-256 of the JSON lines."""
        return hashlib.sha256("\n".join(self.lines()).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Publication:
    """One source on one question: its stance, its answer, its passages."""

    stance: Stance
    answer: str | None
    texts: tuple[str, ...]


def build(setting: Setting, seed: int, facts: Sequence[Fact]) -> SyntheticCorpus:
    """The corpus of a seed. Raises `UnusableFacts` where there are too few facts to test with."""
    random = Random(f"{setting.name}:{seed}")
    chosen = random.sample(list(facts), min(len(facts), setting.estimation + setting.test))
    if len(chosen) <= setting.estimation:
        raise UnusableFacts(
            f"{len(chosen)} questions leave none to test with beside {setting.estimation} that estimate"
        )
    reliabilities = reliabilities_of(setting, random)
    days = {fact.id: day for day, fact in enumerate(random.sample(chosen, len(chosen)))}
    publications = [_question(setting, fact, days[fact.id] / len(chosen), reliabilities, seed) for fact in chosen]
    poisoned_items = _poison(setting, chosen, publications, random)
    items = tuple(
        Item(
            fact,
            index >= setting.estimation,
            days[fact.id],
            tuple(publication.stance for publication in by_source),
            tuple(publication.answer for publication in by_source),
            poisoned=index in poisoned_items,
        )
        for index, (fact, by_source) in enumerate(zip(chosen, publications, strict=True))
    )
    publishers = tuple(
        Publisher(f"Source {source}", reliability, _documents(source, items, publications))
        for source, reliability in enumerate(reliabilities)
    )
    return SyntheticCorpus(setting, seed, publishers, items)


def reliabilities_of(setting: Setting, random: Random) -> list[float]:
    """The true reliability of every source."""
    if setting.prior is Prior.SPAMMER_HAMMER:
        drawn = [SPAMMER] * setting.spammers + [HAMMER] * (setting.sources - setting.spammers)
    else:
        drawn = [random.betavariate(*BETA) for _ in range(setting.sources)]
    first_copier = setting.sources - setting.copiers
    return [drawn[0] if source >= first_copier else own for source, own in enumerate(drawn)]


def _question(
    setting: Setting, fact: Fact, time: float, reliabilities: Sequence[float], seed: int
) -> list[_Publication]:
    """The publications of every source on a question, each drawn with a seed of its own."""
    publications: list[_Publication] = []
    for source, reliability in enumerate(reliabilities):
        random = Random(f"{setting.name}:{seed}:{source}:{fact.id}")
        copied = publications[0] if source >= setting.sources - setting.copiers and random.random() < 0.9 else None
        right = _right_with(setting, source, reliability, fact, time)
        publications.append(copied or _publication(fact, right, setting.coverage_of(source), random))
    return publications


def _right_with(setting: Setting, source: int, reliability: float, fact: Fact, time: float) -> float:
    """The probability that a source is right on a question that it covers, at a time in [0, 1)."""
    if setting.topics:
        is_expert = hashlib.sha256(fact.title.encode()).digest()[0] % 2 == source % 2
        return 0.9 if is_expert else 0.3
    if source >= setting.sources - setting.turning:
        return 0.9 if time < 0.5 else 0.1
    return reliability


def _publication(fact: Fact, reliability: float, coverage: float, random: Random) -> _Publication:
    if random.random() >= coverage:
        return _Publication(Stance.IRRELEVANT, None, tuple(irrelevant(fact, random)))
    if random.random() < reliability:
        return _Publication(Stance.FACTUAL, fact.golds[0], tuple(passages(fact, fact.golds[0], random)))
    wrong = random.randrange(WRONG_ANSWERS)
    return _Publication(Stance.MISINFORMATION, fact.wrong[wrong], tuple(misinformation(fact, wrong)))


def _poison(
    setting: Setting, chosen: Sequence[Fact], publications: Sequence[list[_Publication]], random: Random
) -> frozenset[int]:
    """Replace publications of the last source by poisoned ones; returns the indices of these test questions."""
    tested = range(setting.estimation, len(chosen))
    poisoned_items = frozenset(random.sample(tested, round(setting.poisoned * len(tested))))
    for index in sorted(poisoned_items):
        wrong = random.randrange(WRONG_ANSWERS)
        texts = tuple(poisoned(chosen[index], wrong))
        publications[index][-1] = _Publication(Stance.MISINFORMATION, chosen[index].wrong[wrong], texts)
    return poisoned_items


def _documents(
    source: int, items: Sequence[Item], publications: Sequence[Sequence[_Publication]]
) -> tuple[Document, ...]:
    return tuple(
        Document(
            external_id=f"{item.fact.id}-{number}",
            title=item.fact.title,
            content=text,
            published_at=(_FIRST_DAY + timedelta(days=item.day)).isoformat(),
        )
        for item, by_source in zip(items, publications, strict=True)
        for number, text in enumerate(by_source[source].texts)
    )
