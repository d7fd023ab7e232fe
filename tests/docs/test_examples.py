"""The examples in the docstrings run, and what a package exports has one."""

import doctest
import inspect
from enum import Enum
from importlib import import_module
from pathlib import Path

from tests.tables import for_each

ROOT = Path(__file__).parents[2]

PACKAGES = ("estimator", "answering")
"""Packages whose examples are run, with all modules below them."""

COMPLETE = (
    "answering.voting",
    "answering.alignment",
    "answering.conflict",
    "answering.embedders",
    "answering.equivalence",
    "answering.judges",
    "answering.models",
    "answering.readers",
    "answering.text.sentences",
    "answering.text",
    "estimator",
    "estimator.copying",
    "estimator.methods",
)
"""Packages of which every exported function and class has an example."""


def modules(package: str) -> list[str]:
    """The names of all modules of a package."""
    files = sorted((ROOT / package).rglob("*.py"))
    return [".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in files]


@for_each("module", [name for package in PACKAGES for name in modules(package)])
def test_examples_run(module: str) -> None:
    output: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for docstring in doctest.DocTestFinder().find(import_module(module)):
        # To run one without examples looks too whether each file changed of which a line was ever read.
        if docstring.examples:
            runner.run(docstring, out=output.append)
    assert not runner.failures, "".join(output)


@for_each("package", COMPLETE)
def test_exported_functions_and_classes_have_an_example(package: str) -> None:
    """Exceptions and enumerations need none: what raises or takes them has one."""
    module = import_module(package)
    exported = {name: getattr(module, name) for name in module.__all__}
    missing = [
        name
        for name, value in exported.items()
        if (inspect.isfunction(value) or inspect.isclass(value))
        and not (inspect.isclass(value) and issubclass(value, (BaseException, Enum)))
        and not any(test.examples for test in doctest.DocTestFinder().find(value, name))
    ]
    assert not missing, f"{package} exports without an example: {', '.join(missing)}"
