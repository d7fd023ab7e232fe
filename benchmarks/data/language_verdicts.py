"""Claims beside texts in Persian, Indonesian, Japanese, Korean and Chinese, whose relation people judged."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from answering.judges.judge import Label, Pair
from benchmarks.data.claim_sets import rows
from benchmarks.data.language_sets import DEVELOPMENT, REPORTED, part_of_passage

FILE = Path("stance_extra/other_languages.jsonl.gz")
# OCNLI, of the Chinese ones, is CC BY-NC: it only measures.
MEASURES_ONLY = frozenset({"ocnli_dev"})
_LABELS = {"supports": Label.SUPPORTS, "contradicts": Label.CONTRADICTS, "neither": Label.IRRELEVANT}


@dataclass(frozen=True, slots=True)
class Verdict:
    """A claim and a text, and what the text says of the claim."""

    pair: Pair
    label: Label
    language: str
    source: str


def training_verdicts(data: Path) -> Iterator[Verdict]:
    """Those that may train weights, but for two fifths of their texts."""
    kept_apart = {REPORTED, DEVELOPMENT}
    return (one for one in _may_train(data) if part_of_passage(one.pair.passage) not in kept_apart)


def development_verdicts(data: Path) -> Iterator[Verdict]:
    """A fifth of the same, to choose settings by."""
    return (one for one in _may_train(data) if part_of_passage(one.pair.passage) == DEVELOPMENT)


def reported_verdicts(data: Path) -> Iterator[Verdict]:
    """Another fifth of the same, and all that only measures."""
    for one in _load(data):
        if one.source in MEASURES_ONLY or part_of_passage(one.pair.passage) == REPORTED:
            yield one


def _may_train(data: Path) -> Iterator[Verdict]:
    return (one for one in _load(data) if one.source not in MEASURES_ONLY)


def _load(data: Path) -> Iterator[Verdict]:
    for row in rows(data / FILE):
        yield Verdict(Pair(row["claim"], row["text"]), _LABELS[row["label"]], row["language"], row["source"])
