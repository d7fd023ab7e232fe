"""`credence votes`: import from files, consensus, deletion."""

from pathlib import Path

import pytest

from tests.api.cli.conftest import Credence

CSV = "model,item,said,extra,confidence\nant,q1,72,x,0.9\nbee,q1,72,y,\ncat,q1,70,z,high\n"


def test_votes_come_from_tables_of_any_columns(credence: Credence, tmp_path: Path) -> None:
    table = tmp_path / "panel.csv"
    table.write_text(CSV)
    named = ("--source", "model", "--query", "item", "--answer", "said")
    result = credence("votes", "import", str(table), *named)
    assert (result.status, result.out) == (1, "2 created, 0 updated, 0 unchanged, 1 rejected.\n")
    assert "panel.csv:4" in result.err
    assert "confidence" in result.err
    assert "there is no column 'who'" in credence.refused("votes", "import", str(table), "--source", "who")
    [first, second] = credence.done("votes", "--json").documents
    assert (first["source"], first["query"], first["answer"], first["confidence"]) == ("ant", "q1", "72", 0.9)
    assert second["confidence"] is None


def test_crowd_kits_columns_and_parquet_are_taken_as_they_are(credence: Credence, tmp_path: Path) -> None:
    table = tmp_path / "crowd.csv"
    table.write_text("task,worker,label\n1,a,yes\n1,b,no\n")
    assert credence.done("votes", "import", str(table)).out == "2 created, 0 updated, 0 unchanged, 0 rejected.\n"
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = pyarrow.table({"task": [1, 2], "worker": ["c", "c"], "label": [True, False], "hour": [1, 2]})
    parquet.write_table(rows, tmp_path / "crowd.parquet")
    assert "2 created" in credence.done("votes", "import", str(tmp_path / "crowd.parquet")).out


def test_a_consensus_is_shown_and_votes_are_deleted(credence: Credence) -> None:
    lines = b"".join(b'{"source": "%b", "query": "q", "answer": "x"}\n' % source for source in (b"a", b"b"))
    credence.done("votes", "import", "-", stdin=lines)
    shown = credence.done("votes", "consensus", "q").out
    assert "x  answered, confidence" in shown
    assert "no estimation yet" in shown
    assert credence.done("votes", "consensus", "q", "--json").document["votes"] == 2
    assert "no query 'none'" in credence.refused("votes", "consensus", "none")
    assert "Name a query" in credence.refused("votes", "delete", "--yes")
    assert credence.done("votes", "delete", "--source", "a", "--yes").out == "Deleted 1 vote.\n"
    assert [vote["source"] for vote in credence.done("votes", "--query", "q", "--json").documents] == ["b"]


def test_rows_of_a_table_become_lists_where_several_answers_may_be_true(credence: Credence, tmp_path: Path) -> None:
    table = tmp_path / "authors.csv"
    table.write_text("source,query,answer\na,book,Aho\na,book,Ullman\nb,book,Aho\n")
    credence.done("corpora", "update", "default", "--answers", "several")
    assert credence.done("votes", "import", str(table)).status == 0
    shown = credence.done("votes", "consensus", "book").out
    assert "Aho; Ullman  answered, confidence" in shown
    assert ", lead 0." in shown
    assert "a, b" in shown
    [found] = credence.done("votes", "consensus", "book", "--json").documents
    assert found["margin"] is None
    assert 0 < found["lead"] < found["confidence"]
    credence.done("estimate")
    listed = credence.done("sources").out
    assert "sensitivity" in listed
    [first, second] = credence.done("votes", "--json").documents
    assert (first["answer"], second["answer"]) == ("Aho\nUllman", "Aho")
