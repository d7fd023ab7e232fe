"""Questions that train, and the check that keeps reported ones out."""

import gzip
import json
from pathlib import Path

from benchmarks.data.question_sets import answering_mention, load_questions
from benchmarks.data.reported import ReportedTexts
from benchmarks.data.splits import Part, part_of
from benchmarks.data.squad import Example

ROW = {"question": "Who opened it?", "passage": "Ada built it. Ada <Td>Dahl</Td> opened it.", "answers": ["Ada"]}


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


def test_the_mention_among_most_words_of_the_question_is_the_answer() -> None:
    passage = "Dahl was born here. " + "It rained. " * 30 + "The old mill was opened by Dahl."
    assert answering_mention("Who opened the old mill?", passage, "dahl") == (passage.rindex("Dahl"), len(passage) - 1)
    assert answering_mention("Who?", passage, "Dah") is None


def test_files_are_read_without_markup_and_answers_that_do_not_stand_in_the_passage(tmp_path: Path) -> None:
    rows = [ROW, ROW | {"answers": []}, ROW | {"answers": ["Bo"]}]
    _gzipped(tmp_path / "set.jsonl.gz", "\n".join(map(json.dumps, rows)))
    examples = list(load_questions(tmp_path / "set.jsonl.gz", "set"))
    assert [example.answer for example in examples] == ["Ada", ""]
    assert "<" not in examples[0].passage
