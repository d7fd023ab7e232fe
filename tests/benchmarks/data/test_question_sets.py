"""Questions that train, and the check that keeps reported ones out."""

import gzip
import json
from pathlib import Path

from benchmarks.data.reported import ReportedTexts
from benchmarks.data.splits import Part, part_of
from benchmarks.data.squad import Example


def _question_of(part: Part) -> str:
    return next(question for question in (f"Who, {n}?" for n in range(100)) if part_of(question) is part)


def _gzipped(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()))


def _data(folder: Path) -> Path:
    """One question of each reported set, in the format of its file."""
    asked = [{"question": "How tall is the Mole?", "answers": [{"text": "4 m", "answer_start": 0}]}]
    articles = [{"title": "Mole", "paragraphs": [{"context": "4 m, says the Herald.", "qas": asked}]}]
    _gzipped(folder / "reader_train" / "xquad.en.json.gz", json.dumps({"data": articles}))
    _gzipped(folder / "realtime_web" / "questions.json.gz", json.dumps([{"question": "Which word of the year?"}]))
    files = {
        "ramdocs/ramdocs_dev.jsonl": "\n".join(json.dumps({"question": _question_of(part)}) for part in Part),
        "conflictnq/conflict_nq_val.jsonl": json.dumps({"question": "who sank it", "cleaned_question": "Who sank it?"}),
        "rgb/en_fact.json": json.dumps({"query": "When did it open?"}),
        "poisonedrag/nq.json": json.dumps({"test1": {"question": "where is the mole"}}),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir()
        (folder / name).write_text(text, "utf-8")
    return folder


def _asked(question: str, passage: str = "It is red.") -> Example:
    return Example(question, passage, None, "set")


def test_questions_of_reported_sets_are_caught_in_another_spelling(tmp_path: Path) -> None:
    reported = ReportedTexts.load(_data(tmp_path))
    asked = [
        "how tall is mole",
        "Which word of year",
        "Who sank it",
        "when did it open?",
        "Where is The Mole?",
        _question_of(Part.REPORT),
        _question_of(Part.CALIBRATION),
    ]
    assert all(reported.contain(_asked(question)) for question in asked)


def test_paragraphs_of_xquad_are_caught_and_other_questions_are_not(tmp_path: Path) -> None:
    reported = ReportedTexts.load(_data(tmp_path))
    assert reported.contain(_asked("What is red?", "4 m says the herald"))
    assert not reported.contain(_asked("What is red?"))
    assert not reported.contain(_asked(_question_of(Part.TRAINING)))
