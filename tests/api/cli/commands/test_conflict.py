"""`credence conflict`."""

import json
from pathlib import Path

import pytest

from tests.api.cli.conftest import Credence

ASKED = "In which year was the bridge of Brin opened?"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """A text file, and an NDJSON file of one document."""
    (tmp_path / "herald.txt").write_text("The bridge of Brin was opened in 1911.")
    sent = {"content": "The bridge of Brin was opened in 1950.", "source": "Rumour", "reliability": 0.3}
    (tmp_path / "others.ndjson").write_text(json.dumps(sent) + "\n\n")
    return ["-d", str(tmp_path / "herald.txt"), "-d", str(tmp_path / "others.ndjson")]


def test_a_person_sees_who_says_what(credence: Credence, files: list[str]) -> None:
    result = credence.done("conflict", "1911", "-q", ASKED, *files).out
    assert result.startswith("CS-C 1.00, CS-R 0.50")
    assert "contested" in result
    assert "for     herald" in result
    assert "against Rumour, reliability 0.30" in result
    assert "“The bridge of Brin was opened in 1950.”" in result


def test_a_bad_file_is_named(credence: Credence, tmp_path: Path) -> None:
    (tmp_path / "bad.ndjson").write_text('{"content": "x"}\n{"text": "y"}\n')
    assert "Line 2 of" in credence.refused("conflict", "x", "-d", str(tmp_path / "bad.ndjson"))
    (tmp_path / "bad.txt").write_bytes(b"\xff\xfe\x00")
    assert "is not text in UTF-8" in credence.refused("conflict", "x", "-d", str(tmp_path / "bad.txt"))
