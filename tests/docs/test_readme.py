"""The README names every setting with its default and meaning, and only commands that exist."""

import re
from enum import Enum
from pathlib import Path

import pytest
from pydantic.fields import FieldInfo

from registry.settings import Settings

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def row(name: str, field: FieldInfo) -> str:
    variable = "DATABASE_URL" if name == "database_url" else f"CREDENCE_{name.upper()}"
    default = "your data folder" if field.default_factory else field.default
    shown = default.value if isinstance(default, Enum) else "unset" if default is None else default
    return f"| `{variable}` | {shown} | {field.description} |"


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_stands_in_the_table(name: str) -> None:
    assert row(name, Settings.model_fields[name]) in README


def test_the_table_names_no_setting_that_is_gone() -> None:
    rows = set(re.findall(r"^\| `(?:CREDENCE_)?\w+` \|.*$", README, re.MULTILINE))
    assert len(rows) == len(Settings.model_fields)


def test_every_make_target_it_names_exists() -> None:
    named = set(re.findall(r"(?:^|`)make (\w+)", README, re.MULTILINE))
    assert {"demo", "test"} <= named
    assert named <= set(re.findall(r"^(\w+):", MAKEFILE, re.MULTILINE))
