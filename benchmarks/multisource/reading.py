"""What the reader makes of the facts, one source at a time: `python -m benchmarks.multisource.reading`.

The corpora hold single sentences of encyclopaedias among others of the same article, below its title. Each fact is read
in the passages of a source that states the truth, of one that states a lie, and of one that has nothing on it. The
truth is read without a title, too.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from answering.enums import AbstentionReason
from answering.readers import Reader
from answering.readers.compact import CompactReader
from answering.text import squad_normalise
from benchmarks.harness import Report, progress, run
from benchmarks.multisource import BENCHMARK
from benchmarks.multisource.facts import Fact
from benchmarks.multisource.wordings import irrelevant, load_pool, misinformation, passages

QUICK_FACTS = 60
RIGHT, LIE, OTHER = "the truth", "the lie", "another answer"
COLUMNS = (RIGHT, LIE, OTHER, *(reason.value for reason in AbstentionReason))


def measure(report: Report) -> None:
    """The share of the facts by what was read, for each kind of source."""
    facts = load_pool(report.folder("reader_train") / "xquad.en.json.gz")
    reader = CompactReader()
    counts = asyncio.run(read_all(reader, facts[:QUICK_FACTS] if report.options.quick else facts))
    outcomes = [name for name in COLUMNS if any(count[name] for count in counts.values())]
    rows = []
    for source, count in counts.items():
        shares = {name: count[name] / count.total() for name in outcomes}
        rows.append([source, str(count.total()), *(f"{share:.3f}" for share in shares.values())])
        for name, share in shares.items():
            report.figure(f"reading/{source}/{name}", share)
    report.table(f"Readings of single sources by {reader.name}", ["the source", "facts", *outcomes], rows)


async def read_all(reader: Reader, facts: Sequence[Fact]) -> dict[str, Counter[str]]:
    """What was read, counted by the kind of source."""
    counts = {"states it": Counter[str](), "states it, without a title": Counter[str]()}
    counts |= {"states a lie": Counter(), "has nothing on it": Counter()}
    for number, fact in enumerate(facts, 1):
        truth, titles = passages(fact, fact.golds[0], Random(fact.id)), [fact.title]
        sources = zip(counts, (truth, truth, misinformation(fact, 0), irrelevant(fact, Random(fact.id))), strict=True)
        for source, texts in sources:
            contexts = titles * len(texts) if source != "states it, without a title" else ()
            if texts:
                counts[source][await _outcome(reader, fact, texts, contexts)] += 1
        if number % 100 == 0:
            progress(f"{number} of {len(facts)} facts read")
    return counts


async def _outcome(reader: Reader, fact: Fact, texts: Sequence[str], contexts: Sequence[str]) -> str:
    """What was read: the truth or the lie, by SQuAD's rule for exact answers, another answer, or why there is none."""
    reading = await reader.read(fact.question, texts, contexts)
    if reading.answer is None:
        return (reading.reason or AbstentionReason.NO_ANSWER).value
    answer = squad_normalise(reading.answer)
    if any(answer == squad_normalise(gold) for gold in fact.golds):
        return RIGHT
    return LIE if answer == squad_normalise(fact.wrong[0]) else OTHER


if __name__ == "__main__":
    raise SystemExit(run(replace(BENCHMARK, name="multisource.reading"), measure))
