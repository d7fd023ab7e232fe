"""The command `credence`: help, and what is imported for it."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from api.cli.application import COMMANDS, app

ROOT = Path(__file__).parents[3]
HEAVY = ("numpy", "scipy", "onnxruntime", "pydantic", "pydantic_ai", "sqlalchemy", "trafilatura")


@pytest.mark.parametrize("command", [command.name for command in COMMANDS])
def test_every_command_has_help(command: str) -> None:
    result = CliRunner().invoke(app, [command, "--help"])
    assert result.exit_code == 0, result.output
    assert "Usage" in result.output
    assert "completion" not in result.output


def test_every_file_of_the_commands_is_in_the_list() -> None:
    files = {path.stem for path in (ROOT / "api" / "cli" / "commands").glob("*.py")} - {"__init__"}
    assert {command.name for command in COMMANDS} == files


def test_help_imports_no_heavy_library() -> None:
    code = f"""
import sys
from api.cli import main
try:
    main()
except SystemExit:
    print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code, "--help"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert all(command.name in done.stdout for command in COMMANDS)
    assert done.stderr.strip() == "[]"
