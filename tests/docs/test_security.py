"""Every line of the threat model names tests that exist."""

import ast
import re
from pathlib import Path

from tests.tables import for_each

ROOT = Path(__file__).parents[2]
# Without the table of scopes, which a test of its own compares with what is enforced.
GENERATED = re.compile(r"<!-- table: \w+ -->.*?<!-- end -->", re.DOTALL)
TEXT = GENERATED.sub("", (ROOT / "SECURITY.md").read_text(encoding="utf-8"))
NAMED = re.compile(r"`(tests/[\w/]+\.py)?::(\w+)`")
ROWS = [line for line in TEXT.splitlines() if line.startswith("| ") and "shown by" not in line]


def functions(path: str) -> set[str]:
    """The names of the tests in a file."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@for_each("row", ROWS)
def test_a_promise_names_tests_that_exist(row: str) -> None:
    path, names = "", NAMED.findall(row)
    assert names
    for file, name in names:
        path = file or path
        assert name in functions(path), (path, name)


def test_tests_named_in_the_text_exist() -> None:
    assert len(ROWS) > 15
    prose = "\n".join(line for line in TEXT.splitlines() if not line.startswith("|"))
    for path, name in NAMED.findall(prose):
        assert name in functions(path)
