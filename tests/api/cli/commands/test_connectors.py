"""`credence connectors`."""

from pathlib import Path

from tests.api.cli.conftest import Credence


def test_a_folder_is_followed(credence: Credence, tmp_path: Path) -> None:
    folder = tmp_path / "press"
    folder.mkdir()
    (folder / "red.txt").write_text("The tower is red.")
    added = credence.done(
        "connectors", "add", "press", "folder", str(folder), "--set", "source=Herald", "--cron", "0 3 * * *", "--json"
    )
    assert added.document["config"] == {"path": str(folder), "source": "Herald"}
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
    assert "There is no folder" in credence.refused("connectors", "run", "away")
