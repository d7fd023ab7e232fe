"""The shape of the packages: no circles, foundations below the nouns, SQL in stores, short modules.

That packages import in one direction is a contract of import-linter, in `pyproject.toml`.
`python -m tests.test_architecture`
prints the figures of every folder.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import grimp

from tests.tables import for_each

ROOT = Path(__file__).parents[1]
PACKAGES = ("estimator", "answering", "registry", "migrations", "api")
# What the nouns of the registry stand on, from the lowest to the highest.
FOUNDATIONS = ("platform", "events", "keys", "runtime", "job_kind")
# Modules that hold data and no behaviour: every noun may import those of any other.
DATA = re.compile(r"(model|\w*schemas)")
# Modules that may build and run SQL, beside those that cannot for contracts of import-linter; what that takes.
SQL = re.compile(
    r"(answering|estimator|migrations)/.*|registry/(platform/database/.*|.*/(model|store)\.py|.*/store/.*)"
)
SQL_LIBRARIES = {"alembic", "pgvector", "psycopg", "sqlalchemy"}
SQL_CALLS = {"exec_driver_sql", "execute", "scalar", "scalars", "stream_scalars"}
MAX_LINES = 300

Arrows = Mapping[str, set[str]]


@cache
def imports() -> list[tuple[str, str]]:
    """Every import between two modules of the project, as (importer, imported)."""
    graph = grimp.build_graph(*PACKAGES)
    return [
        (importer, imported)
        for importer in graph.modules
        for imported in graph.find_modules_directly_imported_by(importer)
    ]


@cache
def folders() -> list[str]:
    """Every folder with Python modules, as a dotted name."""
    return sorted(
        ".".join(init.parent.relative_to(ROOT).parts)
        for name in PACKAGES
        for init in (ROOT / name).rglob("__init__.py")
    )


def modules() -> Iterator[Path]:
    """Every module of the packages."""
    for name in PACKAGES:
        yield from (ROOT / name).rglob("*.py")


@cache
def arrows_in(package: str) -> Arrows:
    """Which entries of a package import which others, imports of another entry's data and of all tables left out."""
    arrows: dict[str, set[str]] = {}
    prefix = f"{package}."
    for importer, imported in imports():
        if not importer.startswith(prefix) or not imported.startswith(prefix):
            continue
        source, target = (name.removeprefix(prefix).partition(".")[0] for name in (importer, imported))
        is_data = package == "registry" and DATA.fullmatch(imported.rpartition(".")[2])
        if source != target and not is_data and target != "tables":
            arrows.setdefault(source, set()).add(target)
    return arrows


def reachable(arrows: Arrows, start: str) -> set[str]:
    """The entries that `start` imports, directly or not."""
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        for target in arrows.get(waiting.pop(), set()) - reached:
            reached.add(target)
            waiting.append(target)
    return reached


@for_each("package", folders())
def test_no_entries_of_a_package_import_each_other_in_a_circle(package: str) -> None:
    arrows = arrows_in(package)
    assert not [entry for entry in arrows if entry in reachable(arrows, entry)]


def test_foundations_of_the_registry_import_no_noun() -> None:
    arrows = arrows_in("registry")
    for number, name in enumerate(FOUNDATIONS):
        assert arrows.get(name, set()) <= set(FOUNDATIONS[:number]), name


def test_sql_is_built_and_run_in_stores_only() -> None:
    for path in modules():
        name = path.relative_to(ROOT).as_posix()
        if not SQL.fullmatch(name):
            used = set(_libraries_and_calls(ast.parse(path.read_text())))
            assert not used & (SQL_LIBRARIES | SQL_CALLS), name


def _libraries_and_calls(module: ast.Module) -> Iterator[str]:
    """The names of the packages that a module imports, and of the methods that it calls."""
    for node in ast.walk(module):
        match node:
            case ast.Import(names=names):
                yield from (alias.name.partition(".")[0] for alias in names)
            case ast.ImportFrom(module=str(imported)):
                yield imported.partition(".")[0]
            case ast.Call(func=ast.Attribute(attr=method)):
                yield method


def test_whoever_asks_over_http_is_handed_on() -> None:
    """Functions of the registry see everything unless they are told for whom they read: routes always tell them."""
    takers: dict[str, list[str]] = {}
    for path in (ROOT / "registry").rglob("*.py"):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for function in ast.parse(path.read_text()).body:
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                arguments = [argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)]
                if {"viewer", "asker"} & {*arguments}:
                    takers[f"{module}.{function.name}"] = arguments
    assert len(takers) > 20
    for path in (ROOT / "api").rglob("*.py"):
        # On the command line and in the demo it is the operator of the service who reads.
        if path.relative_to(ROOT).parts[1] not in {"cli", "demo"}:
            for name, call in _calls(ast.parse(path.read_text())):
                arguments = takers.get(name, [])
                given = {*arguments[: len(call.args)], *(keyword.arg for keyword in call.keywords)}
                assert not arguments or {"viewer", "asker"} & given, (path.name, call.lineno, name)


def _calls(module: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """The calls of a module with the whole names of the functions that are called, as far as imports tell."""
    whole = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for node in ast.walk(module):
        match node:
            case ast.Call(func=ast.Name(id=name)):
                yield whole.get(name, name), node
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name)):
                yield f"{whole.get(owner, owner)}.{name}", node


def test_modules_are_short() -> None:
    lines = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in modules()}
    assert not {path: count for path, count in lines.items() if count > MAX_LINES}


if __name__ == "__main__":
    print(f"{'package':40} entries  arrows")
    for name in folders():
        entries = [path for path in ROOT.joinpath(*name.split(".")).iterdir() if path.name[0] != "_"]
        print(f"{name:40} {len(entries):7} {sum(map(len, arrows_in(name).values())):7}")
