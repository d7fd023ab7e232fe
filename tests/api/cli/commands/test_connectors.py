"""`credence connectors`."""

from pathlib import Path

import pytest

from tests.api.cli.conftest import Credence


def test_a_folder_is_followed(credence: Credence, tmp_path: Path) -> None:
    folder = tmp_path / "press"
    folder.mkdir()
    (folder / "red.txt").write_text("The tower is red.")
    added = credence.done(
        "connectors", "add", "press", "folder", str(folder), "--set", "source=Herald", "--cron", "0 3 * * *",
        "--contradictions", "40", "--json",
    )  # fmt: skip
    assert added.document["contradictions"] == 40
    assert added.document["config"] == {"path": str(folder), "source": "Herald"}
    changed = credence.done("connectors", "update", "press", "--contradictions", "0", "--json")
    assert changed.document["contradictions"] == 0
    assert "never ran" in credence.done("connectors").out
    assert "1 created, 0 updated" in credence.done("connectors", "run", "press").out
    (folder / "bad.txt").write_bytes(b"\x00")
    assert "Not read  bad.txt: The content is binary" in credence.refused("connectors", "run", "press")
    assert credence.done("connectors", "list", "--json").document["report"]["not_modified"] == 1
    credence.done("connectors", "remove", "press")
    assert "There are no connectors" in credence.done("connectors").out
    assert "There is no connector 'press' here." in credence.refused("connectors", "run", "press")
    assert "path: Field required" in credence.refused("connectors", "add", "x", "folder")
    credence.done("connectors", "add", "away", "folder", str(tmp_path / "away"))
    assert "cannot be read" in credence.refused("connectors", "run", "away")


def test_a_relative_path_is_that_of_the_folder_where_it_was_typed(
    credence: Credence, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "press").mkdir()
    (tmp_path / "press" / "red.txt").write_text("The tower is red.")
    monkeypatch.chdir(tmp_path)
    added = credence.done("connectors", "add", "press", "folder", "press", "--set", "source=Herald", "--json")
    assert added.document["config"]["path"] == str(tmp_path / "press")
    by_field = credence.done("connectors", "add", "table", "table", "--set", "path=./rows.csv", "--json")
    assert by_field.document["config"]["path"] == str(tmp_path / "rows.csv")
    monkeypatch.chdir("/")
    assert "1 created" in credence.done("connectors", "run", "press").out
