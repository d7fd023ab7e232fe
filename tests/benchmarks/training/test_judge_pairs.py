"""Pairs made of questions: every example must deserve its label."""

import gzip
import json
from pathlib import Path

from answering.judges import Label
from benchmarks.training.judge.nli import load_statements


def test_sets_without_a_licence_do_not_train_and_marks_of_wikis_and_treebanks_are_taken_out(tmp_path: Path) -> None:
    rows = [
        {"premise": f"Hall\tA [[Mora_(town)|Mora]] -LRB- {n} -RRB- .", "hypothesis": "A", "label": "True"}
        for n in (1, 2)
    ]
    (tmp_path / "more").mkdir()
    for name in ("dnc", "fnc1"):
        content = "\n".join(map(json.dumps, rows))
        (tmp_path / "more" / f"{name}.jsonl.gz").write_bytes(gzip.compress(content.encode()))
    loaded = [statement for kept in (False, True) for statement in load_statements(tmp_path, kept=kept)]
    assert {(statement.premise, statement.label, statement.origin) for statement in loaded} == {
        (f"Hall A Mora {n} .", Label.SUPPORTS, "dnc") for n in (1, 2)
    }
