"""The reference tables of the documentation, made from the lists in the code: `python -m api.reference` writes them.

A page holds a table between `<!-- table: NAME -->` and `<!-- end -->`.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from pydantic import AliasChoices, BaseModel
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings

from answering.debates.strategies import STRATEGIES
from answering.embedders import EMBEDDERS
from answering.judges import JUDGES
from answering.models import CHATS
from answering.providers import Provider
from answering.readers import READERS
from api.app import documented_app
from api.cli.application import COMMANDS
from api.http.scopes import operations
from api.pages.glossary import TERMS
from estimator.methods import METHODS
from registry.answers.schemas import Strategy, StrategyChoice
from registry.connectors.kinds import CONNECTORS
from registry.jobs.kinds import KINDS
from registry.platform.settings import Settings

ROOT = Path(__file__).parents[1]
_MARKED = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def settings_table() -> str:
    """Every setting with its variable and default, one table for each group."""
    groups = [group for group in reversed(Settings.__bases__) if group is not BaseSettings]
    return "\n".join(f"## {(group.__doc__ or '').rstrip('.')}\n\n{_settings_of(group)}" for group in groups)


def _settings_of(group: type[BaseModel]) -> str:
    rows = []
    for name, field in group.model_fields.items():
        alias = field.validation_alias
        variable = alias.choices[0] if isinstance(alias, AliasChoices) else f"CREDENCE_{name.upper()}"
        rows.append((f"`{variable}`", _default(field), field.description))
    return _table(("variable", "default", "meaning"), rows)


def _default(field: FieldInfo) -> str:
    if field.default_factory:
        return "data folder of the user"
    default = field.default
    if default is None or default == ():
        return "unset"
    if isinstance(default, bool):
        return f"`{default}`".lower()
    return (
        f"`{default.value}`"
        if isinstance(default, Enum)
        else f"`{default:g}`"
        if isinstance(default, float)
        else f"`{default}`"
    )


def routes_table() -> str:
    """Every operation of the HTTP interface, from its OpenAPI document."""
    paths = documented_app(Settings()).openapi()["paths"]
    rows = [
        (f"`{method.upper()} {path}`", operation["summary"])
        for path, operations in paths.items()
        for method, operation in operations.items()
    ]
    return _table(("operation", "what it does"), rows)


def scopes_table() -> str:
    """The scopes of every operation."""
    rows = [
        (f"`{item.name}`", item.needs, "yes" if item.for_bound else "no")
        for item in operations(documented_app(Settings()))
    ]
    return _table(("operation", "scope", "also with a key bound to sources"), rows)


def commands_table() -> str:
    """Every command of the command line."""
    return _table(("command", "what it does"), ((f"`credence {item.name}`", item.summary) for item in COMMANDS))


def strategies_table() -> str:
    """Every strategy with its parameters."""
    choice = StrategyChoice()
    rows = []
    for strategy in STRATEGIES:
        parameters = type(choice.parameters_of(Strategy(strategy.name))).model_fields
        names = ", ".join(f"`{name}`" for name in parameters)
        rows.append((f"`{strategy.name}`", strategy.summary, names, "yes" if strategy.escalation else "no"))
    return _table(("strategy", "what it does", "parameters", "`auto` may hold it"), rows)


def methods_table() -> str:
    """Every estimation method."""
    return _table(("method", "what it does", "cost"), ((f"`{item.name}`", item.summary, item.cost) for item in METHODS))


def connectors_table() -> str:
    """Every kind of connector with the fields of its configuration."""
    rows = (
        (f"`{kind.name}`", kind.summary, ", ".join(f"`{name}`" for name in kind.config.model_fields))
        for kind in CONNECTORS
    )
    return _table(("kind", "what it reads", "fields"), rows)


def jobs_table() -> str:
    """Every kind of job."""
    rows = ((f"`{kind.job.name}`", kind.summary, "yes" if kind.scheduling else "no") for kind in KINDS)
    return _table(("job", "what it does", "can be scheduled"), rows)


def _providers(providers: Iterable[Provider[Any, Any]]) -> str:
    return _table(("name", "what it is"), ((f"`{item.name}`", item.summary) for item in providers))


TABLES: Mapping[str, Callable[[], str]] = {
    "settings": settings_table,
    "routes": routes_table,
    "scopes": scopes_table,
    "commands": commands_table,
    "strategies": strategies_table,
    "methods": methods_table,
    "jobs": jobs_table,
    "connectors": connectors_table,
    "readers": lambda: _providers(READERS),
    "judges": lambda: _providers(JUDGES),
    "chats": lambda: _providers(CHATS),
    "embedders": lambda: _providers(EMBEDDERS),
    "glossary": lambda: _table(("word", "meaning"), TERMS.items()),
}


def with_tables(page: str) -> str:
    """The page with its tables made anew. Raises `KeyError` for a table that does not exist."""
    return _MARKED.sub(lambda match: f"{match[1]}{TABLES[match[2]]()}{match[3]}", page)


def pages() -> list[Path]:
    """The pages that may hold tables."""
    return [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").glob("*.md"))]


def _table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(_cell(cell) for cell in line)} |\n" for line in lines)


def _cell(value: object) -> str:
    return " ".join(str(value).split()).replace("|", "\\|")


def main() -> None:
    """Write the tables of all pages."""
    for page in pages():
        before = page.read_text(encoding="utf-8")
        after = with_tables(before)
        if after != before:
            page.write_text(after, encoding="utf-8")
            print(f"{page.relative_to(ROOT)}: tables written")


if __name__ == "__main__":
    main()
