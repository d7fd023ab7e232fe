"""What holds for every command: settings, errors, safe text."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies
from rich.console import Console
from typer.testing import CliRunner

from api.cli.application import app
from api.cli.group import expected
from api.cli.output import bar, clean, number
from api.cli.terminal import Terminal
from registry.errors import NotFound

ROOT = Path(__file__).parents[3]


def test_every_command_has_help() -> None:
    for command in ("", *(group.name or "" for group in app.registered_groups), "ask", "ingest", "estimate", "demo"):
        result = CliRunner().invoke(app, [*command.split(), "--help"])
        assert result.exit_code == 0, result.output
        assert "Usage" in result.output


def test_a_wrong_setting_is_named_without_a_traceback() -> None:
    environment = {**os.environ, "CREDENCE_PORT": "many", "CREDENCE_LOG_FORMAT": "loud"}
    command = [sys.executable, "-c", "from api.cli import main; main()", "sources"]
    said = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert said.returncode == 1
    assert "CREDENCE_PORT" in said.stderr
    assert "CREDENCE_LOG_FORMAT" in said.stderr
    assert "Traceback" not in said.stderr


@pytest.mark.parametrize(
    ("environment", "why"),
    [
        ({"CREDENCE_READER": "gguf"}, "needs CREDENCE_READER_MODEL"),
        ({"DATABASE_URL": "mysql://root:hunter2@localhost/x"}, "PostgreSQL only"),
        ({"DATABASE_URL": "::hunter2::"}, "DATABASE_URL is not a URL"),
        ({"CREDENCE_DATA_DIR": "/dev/null/hunter2"}, "CREDENCE_DATA_DIR"),
    ],
)
def test_settings_that_cannot_work_are_said_without_secrets(environment: dict[str, str], why: str) -> None:
    result = CliRunner(env={"DATABASE_URL": None, **environment}).invoke(app, ["sources"])
    assert result.exit_code == 1
    assert why in result.stderr
    assert "hunter2" not in result.stderr.replace("/dev/null/hunter2", "")
    assert "Traceback" not in result.stderr


def test_an_error_nobody_foresaw_shows_itself() -> None:
    def broken() -> object:
        raise RuntimeError("a bug")

    terminal = Terminal(load_settings=broken)  # type: ignore[arg-type]  # that is the bug
    result = CliRunner().invoke(app, ["sources"], obj=terminal)
    assert isinstance(result.exception, RuntimeError)


def test_a_group_of_our_errors_is_its_first_and_a_mixed_one_a_surprise() -> None:
    ours = NotFound("source", "x")
    assert expected(ExceptionGroup("", [ExceptionGroup("", [ours])])) is ours
    assert expected(ExceptionGroup("", [ours, ValueError()])) is None
    assert expected(BaseExceptionGroup("", [KeyboardInterrupt()])) is None


@given(strategies.text())
def test_clean_text_prints_without_steering(text: str) -> None:
    shown = clean(text)
    assert len(shown) == len(text)
    shown.encode()
    assert not any(
        (ord(character) < 32 and character not in "\n\t") or 127 <= ord(character) < 160 for character in shown
    )


@pytest.mark.parametrize(
    ("share", "drawn"),
    [(0.0, "    "), (1.0, "████"), (0.5, "██  "), (0.25, "█   "), (0.28, "█▏  "), (7.0, "████"), (None, "····")],
)
def test_a_bar_is_as_long_as_its_share(share: float | None, drawn: str) -> None:
    assert bar(share, width=4).plain == drawn


def test_numbers_and_their_absence() -> None:
    assert number(0.125, 1).plain == "0.1"
    assert number(None).plain == "-"
    console = Console(record=True, width=20)
    console.print(number(1))
    assert console.export_text() == "1.00\n"
