"""The search of the benchmark of languages: its sample, and what a ranking is worth."""

import gzip
import json
import math
from pathlib import Path

import pytest

from benchmarks.languages import retrieval
from benchmarks.languages.retrieval import gain, samples


@pytest.mark.parametrize(
    ("documents", "value"),
    [
        (["right"], 1.0),
        # A document that is found twice takes one place.
        (["a", "a", "b", "right", "a"], 1 / math.log2(4)),
        ([*"abcdefghi", "right"], 1 / math.log2(11)),
        ([*"abcdefghij", "right"], 0.0),
        ([], 0.0),
    ],
)
def test_a_ranking_is_worth_less_the_lower_the_right_document_stands(documents: list[str], value: float) -> None:
    assert gain(documents, "right") == pytest.approx(value)


def test_each_passage_is_asked_about_once_and_the_draw_is_the_same(tmp_path: Path) -> None:
    english = {"data": [{"paragraphs": [{"context": "It is red.", "qas": [question("What colour?", "red", 6)]}]}]}
    path = tmp_path / retrieval.ENGLISH_SET
    path.parent.mkdir()
    path.write_bytes(gzip.compress(json.dumps(english).encode()))
    rows = [
        {"context": f"Text {n // 2}.", "question": f"Question {n}?", "answers": [{"text": "Text", "start": 0}]}
        for n in range(8)
    ]
    rows.append({"context": "Of no use.", "question": "None?", "answers": []})
    (tmp_path / "multilingual_reading").mkdir()
    for kind in retrieval.SETS.values():
        content = "".join(json.dumps(row) + "\n" for row in rows).encode()
        (tmp_path / "multilingual_reading" / f"{kind.name}.jsonl.gz").write_bytes(gzip.compress(content))
    drawn = dict(samples(tmp_path, 3))
    assert [one.question for one in drawn.pop("en")] == ["What colour?"]
    assert drawn.keys() == retrieval.SETS.keys()
    for of in drawn.values():
        assert len({one.passage for one in of}) == len(of) == 3
        assert all(int(one.question[9]) // 2 == int(one.passage[5]) for one in of)
        assert of == drawn["de"]


def question(text: str, answer: str, start: int) -> dict[str, object]:
    return {"question": text, "answers": [{"text": answer, "answer_start": start}]}
