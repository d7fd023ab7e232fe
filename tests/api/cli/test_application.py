"""The command `credence`: help, and what is imported for it."""

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

from api.cli.application import COMMANDS, app
from estimator.errors import DISTRIBUTION
from tests.api.cli.conftest import Credence
from tests.tables import for_each

ROOT = Path(__file__).parents[3]
# What only some commands use, when they do.
HEAVY_FOR_COMMANDS = (
    *("alembic", "fastapi", "mcp", "numpy", "onnxruntime", "openai", "pydantic_ai", "scipy", "sqlalchemy"),
    *("tokenizers", "trafilatura", "wordllama"),
)
HEAVY = ("numpy", "scipy", "onnxruntime", "pydantic", "pydantic_ai", "sqlalchemy", "trafilatura")


@for_each("command", [command.name for command in COMMANDS])
def test_every_command_has_help(command: str) -> None:
    result = CliRunner().invoke(app, [command, "--help"])
    assert result.exit_code == 0, result.output
    assert "Usage" in result.output
    assert "completion" not in result.output


def test_the_version_is_that_of_the_package() -> None:
    assert CliRunner().invoke(app, ["--version"]).output == f"credence {version(DISTRIBUTION)}\n"


def test_every_file_of_the_commands_is_in_the_list() -> None:
    files = {path.stem for path in (ROOT / "api" / "cli" / "commands").glob("*.py")} - {"__init__"}
    assert {command.module for command in COMMANDS} == files


@pytest.mark.parametrize(
    ("commands", "heavy"), [("", HEAVY), ("estimate ask answers conflict ingest", HEAVY_FOR_COMMANDS)]
)
def test_help_imports_no_heavy_library(commands: str, heavy: tuple[str, ...]) -> None:
    code = f"""
import sys
from api.cli import main
for command in {commands.split()} or [""]:
    sys.argv[1:] = [*command.split(), "--help"]
    try:
        main()
    except SystemExit:
        print([name for name in {heavy} if name in sys.modules], file=sys.stderr)
"""
    elsewhere = os.environ | {"CREDENCE_URL": "http://127.0.0.1:1"}
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, cwd=ROOT, env=elsewhere, capture_output=True, text=True, check=False)
    count = max(1, len(commands.split()))
    assert done.stdout.count("Usage") == count
    assert done.stderr.split() == ["[]"] * count


@for_each(
    ("args", "why"),
    [
        (("corpora", "add", "Capital"), "name: String should match pattern"),
        (("corpora", "add", "default"), "already is a corpus named 'default'"),
        (("corpora", "delete", "default", "--yes"), "The default corpus always exists"),
        (("corpora", "show", "nowhere"), "There is no corpus 'nowhere'"),
        (("schedules", "add", "x", "every day"), "cron: not a cron expression"),
        (("schedules", "add", "x", "0 3 * * *", "--timezone", "Mars/Olympus"), "timezone: unknown time zone"),
        (("schedules", "remove", "x"), "There is no schedule 'x'"),
        (("sources", "show", "nobody"), "There is no source 'nobody'"),
        (("sources", "add", "x", "--name", " "), "name: must not be blank"),
        (("sources", "--corpus", "nowhere"), "There is no corpus 'nowhere'"),
        (("sources", "list", "-c", "nowhere"), "There is no corpus 'nowhere'"),
        (("conflict", " "), "response: must not be blank"),
        (("conflict", "x", "-c", "nowhere"), "There is no corpus"),
        (("conflict", "x", "--regenerate"), "CREDENCE_CHAT_MODEL"),
        (("conflict", "x", "--judge", "language_model"), "CREDENCE_CHAT_MODEL"),
        (("ask", " "), "question: must not be blank"),
        (("ask", "Who built the mill?", "-c", "nowhere"), "There is no corpus"),
        (("answers", "show", "01a1fca6-9572-7698-8554-c86701d1ed7a"), "There is no answer"),
        (("ask", "Who built the mill?"), "no active sources"),
        (("webhooks", "add", "http://127.0.0.1/"), "not a public address"),
        (("corpora", "show", ""), "GET /v1/corpora/ is not valid"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(credence: Credence, args: tuple[str, ...], why: str) -> None:
    said = credence.refused(*args)
    assert why in said
    assert said.count("\n") == 1
