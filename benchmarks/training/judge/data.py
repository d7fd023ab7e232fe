"""What the judge is trained on and looked at with, from the folder of data."""

import random
from pathlib import Path

from benchmarks.data.question_sets import load_questions as load_question_set
from benchmarks.data.reported import ReportedTexts
from benchmarks.data.splits import Part
from benchmarks.training.judge.conflicts import conflict_examples
from benchmarks.training.judge.nli import load_statements, statement_examples
from benchmarks.training.judge.opinions import load_opinion_pairs, opinion_examples
from benchmarks.training.judge.pairs import Example, PairMaker
from benchmarks.training.judge.questions import Corpus, corpus_of, load_questions

# Few, and the nearest to what the service meets: so many times a pass.
CONFLICT_REPEATS = 20
# Short, and the only pairs in which no sentence states what the claim says; tried, and not shipped.
OPINION_REPEATS = {"opinion": 60, "finding": 10}
# So often a pass every question of a site is asked; encyclopaedias are nearer to what the service reads than reviews.
SITES = {"new_wiki": 2, "amazon_reviews": 1, "reddit": 1}
# Sets whose questions make claims: short answers, on passages that are more than a sentence.
QUESTION_SETS = ("squad_train", "nq_open", "nq_swap", "confiqa", "hotpotqa")


# An epoch of a given size is short, so that a training may be cut short and still end with a small rate.
EPOCHS_A_PASS = 10


class Passes:
    """Passes over all data, each with fresh swaps and negatives; an epoch is a pass, or `size` examples of one.

    An epoch is drawn by its number alone; `kept` draws from what training never sees.
    """

    def __init__(
        self, data: Path, seed: int, *, size: int | None = None, kept: bool = False, opinions: bool = False
    ) -> None:
        self._seed = seed
        self._size = size
        self._statements = load_statements(data / "judge_train", kept=kept)
        self._opinions = load_opinion_pairs(data, Part.TRAINING) if opinions else {}
        self._conflicts = [] if kept else conflict_examples(data) * CONFLICT_REPEATS
        sites = [PairMaker(load_questions([_file(data, site)], kept=kept)) for site in SITES]
        repeated = [maker for maker, repeats in zip(sites, SITES.values(), strict=True) for _ in range(repeats)]
        self._makers = [*repeated, PairMaker(_question_sets(data, kept=kept))]
        self._drawn: tuple[int, list[Example]] | None = None

    def epoch(self, number: int) -> list[Example]:
        """In a random order."""
        if self._size is None:
            return self._pass(number)
        at = number % EPOCHS_A_PASS * self._size
        return self._pass(number // EPOCHS_A_PASS)[at : at + self._size]

    def _pass(self, number: int) -> list[Example]:
        if self._drawn is None or self._drawn[0] != number:
            self._drawn = number, self._draw(number)
        return self._drawn[1]

    def _draw(self, number: int) -> list[Example]:
        generator = random.Random(f"{self._seed}:{number}")
        drawn = [example for maker in self._makers for example in maker.examples(generator)]
        drawn.extend(statement_examples(self._statements, generator))
        drawn.extend(self._conflicts)
        for origin, pairs in self._opinions.items():
            for _ in range(OPINION_REPEATS[origin]):
                drawn.extend(opinion_examples(pairs, origin, generator))
        generator.shuffle(drawn)
        return drawn


def held_out_examples(data: Path, seed: int) -> list[Example]:
    """Pairs of paragraphs and premises that training never sees, in a random order."""
    return Passes(data, seed, kept=True).epoch(0)


def xquad_examples(data: Path, seed: int) -> list[Example]:
    """Pairs of XQuAD, of which nothing is ever trained on, in a random order."""
    maker = PairMaker(load_questions([data / "reader_train" / "xquad.en.json.gz"], kept=None))
    generator = random.Random(seed)
    drawn = list(maker.examples(generator))
    generator.shuffle(drawn)
    return drawn


def _question_sets(data: Path, *, kept: bool) -> Corpus:
    reported, folder = ReportedTexts.load(data), data / "reader_train" / "more"
    asked = (example for name in QUESTION_SETS for example in load_question_set(folder / f"{name}.jsonl.gz", name))
    return corpus_of((example for example in asked if not reported.contain(example)), kept=kept)


def _file(data: Path, site: str) -> Path:
    return data / "reader_train" / f"squadshifts_{site}_v1.0.json.gz"
