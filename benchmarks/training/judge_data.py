"""What the judge is trained on and looked at with, from the folder of data."""

import random
from pathlib import Path

from benchmarks.training.judge_conflicts import conflict_examples
from benchmarks.training.judge_nli import load_statements, statement_examples
from benchmarks.training.judge_pairs import Example, PairMaker
from benchmarks.training.judge_questions import load_questions

# Few, and the nearest to what the service meets: so many times an epoch.
CONFLICT_REPEATS = 3
SITES = ("new_wiki", "amazon_reviews", "reddit")


class Epochs:
    """The examples of each epoch, drawn by its number alone; `kept` draws from what training never sees."""

    def __init__(self, data: Path, seed: int, *, kept: bool = False, limit: int | None = None) -> None:
        files = [data / "reader_train" / f"squadshifts_{site}_v1.0.json.gz" for site in SITES]
        self._seed = seed
        self._limit = limit
        self._statements = load_statements(data / "judge_train", kept=kept)
        self._conflicts = [] if kept else conflict_examples(data) * CONFLICT_REPEATS
        self._makers = [PairMaker(load_questions([file], kept=kept)) for file in files]

    def epoch(self, number: int) -> list[Example]:
        """In a random order."""
        generator = random.Random(f"{self._seed}:{number}")
        drawn = [example for maker in self._makers for example in maker.examples(generator)]
        drawn.extend(statement_examples(self._statements, generator))
        generator.shuffle(drawn)
        drawn = [*self._conflicts, *drawn[: self._limit]]
        generator.shuffle(drawn)
        return drawn[: self._limit]


def held_out_examples(data: Path, seed: int) -> list[Example]:
    """Pairs of paragraphs and premises that training never sees, in a random order."""
    return Epochs(data, seed, kept=True).epoch(0)


def xquad_examples(data: Path, seed: int) -> list[Example]:
    """Pairs of XQuAD, of which nothing is ever trained on, in a random order."""
    maker = PairMaker(load_questions([data / "reader_train" / "xquad.en.json.gz"], kept=None))
    generator = random.Random(seed)
    drawn = list(maker.examples(generator))
    generator.shuffle(drawn)
    return drawn
