"""The language model beside the other judges, on a sample."""

import argparse
import gzip
import hashlib
import json
from pathlib import Path

import pytest

from answering.judges import Label
from answering.models import ScriptedChat
from benchmarks.data.claim_sets import ClaimSet, Document
from benchmarks.harness import Options, Report
from benchmarks.harness.cache import CachedChat, JsonLines
from benchmarks.judge import __main__ as judge
from benchmarks.judge.lexical import lexical_labels

OPENED = Document("The bridge was opened in 1911.", Label.SUPPORTS)
SET = ClaimSet("When was the bridge opened?", "1911", (OPENED,), conflicting=False, origin="made up")


def _article(stance: str) -> str:
    """An article of the reported half."""
    articles = (f"It is said to be {stance}, {number}." for number in range(100))
    return next(text for text in articles if hashlib.sha256(text.encode()).digest()[-1] % 2)


def test_it_judges_the_sample_that_the_others_judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "judge_train" / "more" / "fnc1.jsonl.gz"
    file.parent.mkdir(parents=True)
    rows = [
        {"hypothesis": "It is so.", "premise": _article(stance), "label": stance}
        for stance in ("agree", "disagree", "discuss", "unrelated")
    ]
    file.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    chat = CachedChat(ScriptedChat('{"label": "reports", "quote": ""}'), JsonLines(tmp_path / "kept.jsonl"))
    monkeypatch.setattr(judge, "cached_chat", lambda *_: chat)
    report = Report(Options(data=tmp_path, extra=argparse.Namespace(sample=1)))
    judge.measure_language_model(report, {"words": lexical_labels}, {"made up": [SET]})
    four, conflicts, single, cost = report.tables
    assert four.rows[0] == ("language model", 4, "0.000", "0.000", "1.000", "0.000", "0.100")
    assert [row[:3] for row in conflicts.rows] == [("made up", "language model", 1), ("made up", "words", 1)]
    assert [row[2] for row in single.rows] == ["0.000", "1.000"]
    assert (cost.rows[0][1], cost.rows[0][3]) == (5, 0)
    assert report.figures["sample_language model_fnc_f1"] == pytest.approx(0.1)
