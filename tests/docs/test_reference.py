"""The reference tables of the documentation are those that the code makes."""

from pathlib import Path

from api.reference import TABLES, pages, with_tables
from tests.tables import for_each


@for_each("page", pages())
def test_tables_are_current(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert with_tables(text) == text, "run `make docs`"


def test_every_table_is_documented() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in pages())
    assert [name for name in TABLES if f"<!-- table: {name} -->" not in text] == []
