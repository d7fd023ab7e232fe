"""What is counted of the readings of single sources."""

from benchmarks.multisource.facts import Fact
from benchmarks.multisource.reading import LIE, RIGHT, read_all
from benchmarks.multisource.wordings import perfect_reader


async def test_a_perfect_reader_reads_what_each_source_states(facts: list[Fact]) -> None:
    counts = await read_all(perfect_reader(facts), facts)
    stated = {source: set(count) for source, count in counts.items()}
    assert stated == {
        "states it": {RIGHT},
        "states it, without a title": {RIGHT},
        "states a lie": {LIE},
        "has nothing on it": {"no_answer"},
    }
    assert counts["states it"].total() == len(facts)
