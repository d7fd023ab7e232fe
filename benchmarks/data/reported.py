"""Texts that must not train: of the sets that results are reported on, and of sets that are for evaluation only."""

import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from answering.text import squad_normalise
from benchmarks.data.splits import Part, part_of
from benchmarks.data.squad import Example, load_squad


class ReportedTexts:
    """Questions and passages, compared after SQuAD's normalisation (case, punctuation, articles, white space)."""

    def __init__(self, questions: Iterable[str], passages: Iterable[str] = ()) -> None:
        self._questions = _normalised(questions)
        self._passages = _normalised(passages)

    @classmethod
    def load(cls, data: Path) -> "ReportedTexts":
        """The texts of XQuAD, RAMDocs (without its training half), RGB, PoisonedRAG, ConflictNQ and RealtimeQA."""
        xquad = load_squad(data / "reader_train" / "xquad.en.json.gz")
        return cls(
            [*(example.question for example in xquad), *_questions(data)], {example.passage for example in xquad}
        )

    def contain(self, example: Example) -> bool:
        """Whether the question or the passage is one of these texts."""
        return (
            squad_normalise(example.question) in self._questions or squad_normalise(example.passage) in self._passages
        )


def _questions(data: Path) -> Iterator[str]:
    for row in _lines(data / "ramdocs" / "ramdocs_dev.jsonl"):
        if part_of(row["question"]) is not Part.TRAINING:
            yield row["question"]
    for row in _lines(data / "conflictnq" / "conflict_nq_val.jsonl"):
        yield from (row["question"], row["cleaned_question"])
    yield from (row["query"] for row in _lines(data / "rgb" / "en_fact.json"))
    yield from (row["question"] for row in json.loads((data / "poisonedrag" / "nq.json").read_text("utf-8")).values())
    with gzip.open(data / "realtime_web" / "questions.json.gz", "rt", encoding="utf-8") as file:
        yield from (row["question"] for row in json.load(file))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    yield from map(json.loads, path.read_text("utf-8").splitlines())


def _normalised(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(map(squad_normalise, texts)) - {""}
