"""The shape of the packages: few entries a folder, few levels of imports, no circles, short modules, one direction.

`python -m tests.test_architecture` prints the figures of every folder.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import grimp

from tests.tables import for_each

ROOT = Path(__file__).parents[1]
# From the lowest to the highest: a package imports only packages before it.
LAYERS = ("estimator", "answering", "registry", "migrations", "api")
MEASURED = ("estimator", "answering", "registry", "api")
# The entries of the registry likewise; those of one set are independent or import each other in one direction.
REGISTRY_LAYERS = (
    {"errors", "settings", "concurrency", "enums"},
    {"inputs", "database", "models"},
    {"results"},
    {"store"},
    {"access", "providers"},
    {"runtime"},
    {"ingest", "connectors", "estimation", "conflict_scores", "answers", "evaluation", "search"},
    {"jobs"},
)
MAX_ENTRIES = 20
MAX_LEVELS = 10
MAX_LINES = 300
NOT_COUNTED = {"__init__.py", "__pycache__", "py.typed", "README.md"}

Arrows = Mapping[str, set[str]]


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one package."""

    package: str
    entries: int
    levels: int
    """Length of the longest chain of imports among its entries; entries in a circle count as one."""
    arrows: int
    """Pairs of entries of which one imports the other."""
    upward: int
    """Arrows that are part of a circle."""


@cache
def imports() -> list[tuple[str, str]]:
    """Every import between two modules of the project, as (importer, imported)."""
    graph = grimp.build_graph(*LAYERS)
    return [
        (importer, imported)
        for importer in graph.modules
        for imported in graph.find_modules_directly_imported_by(importer)
    ]


@cache
def packages() -> list[str]:
    """Every folder with Python modules, as a dotted name."""
    return sorted(
        ".".join(init.parent.relative_to(ROOT).parts)
        for name in MEASURED
        for init in (ROOT / name).rglob("__init__.py")
    )


def folders() -> Iterator[Path]:
    """Every folder of the measured packages."""
    for name in MEASURED:
        yield ROOT / name
        yield from (path for path in (ROOT / name).rglob("*") if path.is_dir() and path.name != "__pycache__")


def entries(folder: Path) -> list[str]:
    """What a folder holds, apart from what every package has."""
    return sorted(path.name for path in folder.iterdir() if path.name not in NOT_COUNTED)


def arrows_in(package: str) -> Arrows:
    """Which entries of a package import which others; an import of the package itself is one of its `__init__`."""
    arrows: dict[str, set[str]] = {}
    prefix = f"{package}."
    for importer, imported in imports():
        if not f"{importer}.".startswith(prefix) or not f"{imported}.".startswith(prefix):
            continue
        source, target = (
            f"{name}.".removeprefix(prefix).partition(".")[0] or "__init__" for name in (importer, imported)
        )
        if source != target:
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


def circle_arrows(arrows: Arrows) -> list[tuple[str, str]]:
    """The arrows whose target imports their source, directly or not."""
    return sorted(
        (source, target)
        for source, targets in arrows.items()
        for target in targets
        if source in reachable(arrows, target)
    )


def levels(arrows: Arrows, names: set[str]) -> int:
    """The number of entries on the longest chain of imports outside circles."""

    @cache
    def height(name: str) -> int:
        below = {target for target in arrows.get(name, set()) if name not in reachable(arrows, target)}
        return 1 + max((height(target) for target in below), default=0)

    return max((height(name) for name in names), default=0)


def measure(package: str) -> Figures:
    """The figures of one package."""
    folder = ROOT.joinpath(*package.split("."))
    arrows = arrows_in(package)
    modules = {name.removesuffix(".py") for name in entries(folder)}
    inner = {source: targets - {"__init__"} for source, targets in arrows.items() if source != "__init__"}
    return Figures(
        package, len(entries(folder)), levels(inner, modules), sum(map(len, inner.values())), len(circle_arrows(arrows))
    )


def test_folders_have_few_entries() -> None:
    crowded = {
        str(folder.relative_to(ROOT)): len(entries(folder))
        for folder in folders()
        if len(entries(folder)) > MAX_ENTRIES
    }
    assert not crowded


@for_each("package", packages())
def test_imports_within_a_package_have_few_levels_and_no_circle(package: str) -> None:
    figures = measure(package)
    assert figures.levels <= MAX_LEVELS
    assert not figures.upward, circle_arrows(arrows_in(package))


def test_modules_are_short() -> None:
    lines = {
        str(path.relative_to(ROOT)): len(path.read_text().splitlines())
        for name in MEASURED
        for path in (ROOT / name).rglob("*.py")
    }
    long = {path: count for path, count in lines.items() if count > MAX_LINES}
    assert not long


def test_packages_import_only_lower_ones() -> None:
    upward = {
        f"{importer} -> {imported}"
        for importer, imported in imports()
        if LAYERS.index(importer.partition(".")[0]) < LAYERS.index(imported.partition(".")[0])
    }
    assert not upward


def test_entries_of_the_registry_import_only_lower_ones() -> None:
    level = {name: number for number, names in enumerate(REGISTRY_LAYERS) for name in names}
    modules = {name.removesuffix(".py") for name in entries(ROOT / "registry")}
    assert modules <= level.keys(), "add new entries to REGISTRY_LAYERS"
    upward = {
        f"registry.{source} -> registry.{target}"
        for source, targets in arrows_in("registry").items()
        for target in targets
        if level[source] < level[target]
    }
    assert not upward


if __name__ == "__main__":
    print(f"{'package':40} entries  levels  arrows  upward")
    for name in packages():
        figures = measure(name)
        print(f"{name:40} {figures.entries:7} {figures.levels:7} {figures.arrows:7} {figures.upward:7}")
