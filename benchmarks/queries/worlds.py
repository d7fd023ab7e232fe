"""Drawn corpora: sources of known reliability that write on facts of countries, in nine wordings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from api.demo.audit import Gold
from benchmarks.multisource.facts import Fact
from benchmarks.multisource.service import add_queries, asked, load
from benchmarks.multisource.synthetic import Prior, Setting, SyntheticCorpus, build
from benchmarks.queries.estimates import KnownCorpus
from registry.answers.schemas import AnswerParameters
from registry.runtime import Runtime

FACTS: Final = 400
TEST: Final = 66
"""Facts that no given query asks for."""
SPAMMERS: Final = 6
SETTINGS: Mapping[str, Setting] = {
    "beta": Setting("beta", estimation=FACTS, test=TEST),
    "spammers": Setting(
        "spammers", sources=9, prior=Prior.SPAMMER_HAMMER, spammers=SPAMMERS, estimation=FACTS, test=TEST
    ),
    "copies": Setting("copies", copiers=3, estimation=FACTS, test=TEST),
    "topics": Setting("topics", topics=True, estimation=FACTS, test=TEST),
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


async def right_answers(runtime: Runtime, known: KnownCorpus, synthetic: SyntheticCorpus) -> tuple[int, int]:
    """How many questions that are no given query are answered right by the current run, and of how many."""
    tested = [item.fact for item in synthetic.items if item.is_test]
    right = 0
    for fact in tested:
        result, _ = await asked(runtime, known.corpus, fact.question, AnswerParameters())
        right += len(result.answers) == 1 and Gold.of(fact.question, fact.golds).accepts(result.answers[0])
    return right, len(tested)
