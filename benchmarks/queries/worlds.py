"""Drawn corpora: sources of known reliability that write on facts of encyclopaedic sentences, in nine wordings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from benchmarks.multisource.facts import Fact
from benchmarks.multisource.service import add_queries, load
from benchmarks.multisource.synthetic import Prior, Setting, SyntheticCorpus, build
from benchmarks.queries.estimates import KnownCorpus
from registry.runtime import Runtime

FACTS: Final = 100
SPAMMERS: Final = 6
SETTINGS: Mapping[str, Setting] = {
    "beta": Setting("beta", estimation=FACTS, test=1),
    "spammers": Setting("spammers", sources=9, prior=Prior.SPAMMER_HAMMER, spammers=SPAMMERS, estimation=FACTS, test=1),
    "copies": Setting("copies", copiers=3, estimation=FACTS, test=1),
    "topics": Setting("topics", topics=True, estimation=FACTS, test=1),
}


def drawn_worlds(facts: Sequence[Fact], seed: int) -> Iterator[tuple[str, SyntheticCorpus]]:
    """A corpus of each setting."""
    for name, setting in SETTINGS.items():
        yield name, build(setting, seed, facts)


async def publish(runtime: Runtime, synthetic: SyntheticCorpus) -> KnownCorpus:
    """The corpus in the service without queries, and the share of the statements of each source that are right."""
    loaded = await load(runtime, replace(synthetic, items=()))
    return KnownCorpus(loaded.corpus, dict(_shares_right(synthetic)))


async def give_queries(runtime: Runtime, known: KnownCorpus, synthetic: SyntheticCorpus) -> None:
    """The questions that the corpus was drawn for, as given queries."""
    texts = {item.fact.id: item.fact.question for item in synthetic.items if not item.is_test}
    await add_queries(runtime, known.corpus, texts)


def _shares_right(synthetic: SyntheticCorpus) -> Iterator[tuple[str, float]]:
    for number, publisher in enumerate(synthetic.publishers):
        stated = [item for item in synthetic.items if item.published[number] is not None]
        right = sum(item.published[number] == item.fact.golds[0] for item in stated)
        yield publisher.name, right / max(len(stated), 1)
