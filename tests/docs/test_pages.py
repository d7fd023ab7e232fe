"""Links of the documentation lead somewhere, and its commands exist with their options."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from api.cli.application import app
from tests.tables import for_each

ROOT = Path(__file__).parents[2]
PAGES = [
    path
    for pattern in ("*.md", "docs/**/*.md", "benchmarks/**/*.md", "estimator/**/*.md", "answering/**/*.md")
    for path in sorted(ROOT.glob(pattern))
    if "prompts" not in path.parts
]
SHELL = re.compile(r"^```(?:sh|bash|console)?\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands() -> list[list[str]]:
    """The arguments of every `credence` and `python -m` command that the documentation prints."""
    commands = []
    for page in PAGES:
        for block in SHELL.findall(page.read_text(encoding="utf-8")):
            for line in block.replace("\\\n", " ").splitlines():
                code = line.split(" #")[0].strip()
                if code.startswith(("credence ", "python -m ")):
                    commands.append(shlex.split(code))
    return commands


def anchors(page: Path) -> set[str]:
    """The anchors that the headings of a page have."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@for_each("page", PAGES)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        if path.startswith(("http:", "https:", "mailto:")):
            continue
        linked = (page.parent / path) if path else page
        if not linked.exists() or (anchor and anchor not in anchors(linked)):
            broken.append(target)
    assert not broken


@for_each("arguments", [line for line in commands() if line[0] == "credence"])
def test_commands_of_the_command_line_exist(arguments: list[str]) -> None:
    """An unknown command or option fails before the help is printed; nothing is run."""
    result = CliRunner().invoke(app, [*arguments[1:], "--help"])
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("arguments", [line for line in commands() if line[0] == "python"], ids=" ".join)
def test_modules_that_are_run_exist(arguments: list[str]) -> None:
    path = ROOT.joinpath(*arguments[2].split("."))
    assert path.with_suffix(".py").exists() or (path / "__main__.py").exists()


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {
        target
        for page in PAGES
        for target in re.findall(r"(?:^|`)(?:ONCE=1 )?make (\w+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert {"demo", "test", "serve", "docs"} >= {"demo", "test"} <= named <= targets
