"""The error tree, and how little it takes to import its root."""

import re
import subprocess
import sys
from pathlib import Path

import estimator
import estimator.errors

ROOT = Path(__file__).parents[2]
PACKAGES = ("estimator", "answering", "registry", "api")

LOADED = """
import sys
import estimator.errors
print([name for name in sys.modules if name.split(".")[0] in {"numpy", "scipy", "estimator"}])
"""


def test_the_root_of_the_errors_loads_nothing_else() -> None:
    """Neither NumPy nor SciPy nor another module of the estimator."""
    loaded = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == "['estimator', 'estimator.errors']"


def test_every_exported_name_can_be_imported() -> None:
    assert all(getattr(estimator, name) is not None for name in estimator.__all__)
    assert sorted(estimator._MODULE_OF) == sorted(estimator.__all__)


def derived_classes() -> set[tuple[str, str]]:
    """(base, class) for every class of the packages below CredenceError."""
    classes = [
        (base.strip(), name)
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        for name, bases in re.findall(r"^ *class (\w+)\(([^)]*)\):", path.read_text(encoding="utf-8"), re.MULTILINE)
        for base in bases.split(",")
    ]
    edges: set[tuple[str, str]] = set()
    bases = {"CredenceError"}
    while below := {(base, name) for base, name in classes if base in bases}:
        edges |= below
        bases = {name for _, name in below}
    return edges


def drawn_classes() -> set[tuple[str, str]]:
    """(base, class) for every line of the tree in the docstring."""
    drawn: set[tuple[str, str]] = set()
    path: dict[int, str] = {}
    for indent, name in re.findall(r"^([│├└─ ]*)([A-Z]\w+)(?: {2,}.*)?$", estimator.errors.__doc__ or "", re.MULTILINE):
        depth = len(indent) // 4
        path[depth] = name
        if depth:
            drawn.add((path[depth - 1], name))
    return drawn


def test_the_tree_in_the_docstring_is_that_of_the_code() -> None:
    assert drawn_classes() == derived_classes()
