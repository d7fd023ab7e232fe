"""Opinions for and against debated claims (Perspectrum), and findings on the questions of papers (PubMedQA).

Chen et al. 2019 (CC BY-SA 4.0) and Jin et al. 2019 (MIT): both may train weights that ship. `benchmarks.data.splits`
splits the claims.
"""

import random
from collections.abc import Iterator, Mapping
from pathlib import Path

from answering.judges.judge import Label, Pair
from benchmarks.data.claim_sets import load_findings, load_opinions
from benchmarks.data.splits import Part
from benchmarks.training.judge.pairs import Example

OTHER_CLAIM_SHARE = 0.5
"""Of the pairs, beside so many the same claim stands with a text on another: no set says what is irrelevant."""


def load_opinion_pairs(data: Path, part: Part) -> Mapping[str, dict[Pair, Label]]:
    """The pairs of a part, by what they are."""
    folder = data / "stance_extra"
    return {
        "opinion": load_opinions(folder / "perspectrum.jsonl.gz", part),
        "finding": load_findings(folder / "pubmedqa.jsonl.gz", part),
    }


def opinion_examples(pairs: Mapping[Pair, Label], origin: str, generator: random.Random) -> Iterator[Example]:
    """Every pair, and claims beside texts that are about another claim."""
    ordered = list(pairs)
    for pair in ordered:
        yield Example(pair.claim, pair.passage, pairs[pair], None, origin)
        other = generator.choice(ordered)
        if other.claim != pair.claim and generator.random() < OTHER_CLAIM_SHARE:
            yield Example(pair.claim, other.passage, Label.IRRELEVANT, None, "another claim")
