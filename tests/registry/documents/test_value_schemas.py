"""Which columns of a table state values, and what its rows state."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from registry.documents.value_schemas import fields_of_row, parse_columns, require_columns, values_of_row
from tests.tables import for_each

WIDE = {"subject": "country", "capital": "capital", "area": "area_km2"}
LONG = {"subject": "item", "relation": "property", "value": "answer"}


@for_each(
    ("text", "columns"),
    [
        ("subject=country, capital, area=area_km2", WIDE),
        ("subject=country,capital=capital,area=area_km2", WIDE),
        ("subject=item, relation=property, value=answer", LONG),
        ("source=worker, subject=task, label", {"source": "worker", "subject": "task", "label": "label"}),
        ('subject=country, "area=area, km2"', {"subject": "country", "area": "area, km2"}),
        ("subject, a=b=c", {"subject": "subject", "a": "b=c"}),
    ],
)
def test_columns_are_named_in_one_line(text: str, columns: dict[str, str]) -> None:
    assert parse_columns(text) == columns


@for_each(
    ("text", "why"),
    [
        ("", "subject=country"),
        (" , ", "subject=country"),
        ("capital=capital", "no column of the subject"),
        ("subject=country", "no column of a relation"),
        ("source=site, subject=country", "no column of a relation"),
        ("subject=item, relation=property", "relation and value each in a column"),
        ("subject=item, relation=property, value=answer, capital", "relation and value each in a column"),
        ("subject=country, capital=a, capital=b", "twice"),
        ("subject=country, capital=", "at least 1 character"),
        ("subject=country, =capital", "at least 1 character"),
        ("subject=country, capital=a\x00b", "NUL"),
        (f"subject=country, {'x' * 201}=a", "at most 200 characters"),
        ("subject=country,\ncapital", "no list of names"),
        ('subject=country, "capital', "no list of names"),
        ("subject=country, " + ", ".join(f"r{number}" for number in range(102)), "at most 102 items"),
    ],
)
def test_columns_that_state_nothing_are_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_columns(text)


@for_each(
    ("cell", "value"),
    [
        ("  Addis \n Ababa ", "Addis Ababa"),
        (2586, "2586"),
        (2586.0, "2586"),
        (0.1, "0.1"),
        (Decimal("1.50"), "1.50"),
        (True, "yes"),
        (date(2026, 1, 2), "2026-01-02"),
        (datetime(2026, 1, 2, 3, tzinfo=UTC), "2026-01-02T03:00:00+00:00"),
    ],
)
def test_cells_are_said_as_text(cell: object, value: str) -> None:
    assert [stated.value for stated in values_of_row({"item": "x", "property": "p", "answer": cell}, LONG)] == [value]


@for_each("cell", [None, "", " ", float("nan"), "unknown", "?"])
def test_a_cell_without_a_value_leaves_the_others(cell: object) -> None:
    row = {"country": "Kenya", "capital": cell, "area_km2": 580_367}
    assert [(value.relation, value.value) for value in values_of_row(row, WIDE)] == [("area", "580367")]


@for_each(
    ("row", "why"),
    [
        ({}, "no subject: the column 'country' is empty or missing"),
        ({"country": " ", "capital": "Nairobi"}, "no subject"),
        ({"country": "Kenya"}, "nothing is stated in the columns 'capital', 'area_km2'"),
        ({"country": "Kenya", "capital": ["Nairobi"]}, "column 'capital': holds a list"),
        ({"country": {"name": "Kenya"}, "capital": "Nairobi"}, "column 'country': holds a list"),
        ({"country": "Kenya", "capital": "a\x00b"}, "column 'capital': value: .*NUL"),
        ({"country": "Kenya", "capital": "x" * 2_001}, "column 'capital': value: .*2000"),
        ({"country": "x" * 281, "capital": "Nairobi"}, "column 'capital': subject: .*280"),
        ({"country": "Kenya", "capital": "Nairobi", "": ["more"]}, "more cells than"),
    ],
)
def test_rows_that_state_nothing_say_why(row: dict[str, object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        values_of_row(row, WIDE)


def test_a_row_says_its_values_in_words() -> None:
    row = {"country": "Kenya", "capital": "Nairobi", "area_km2": "580367"}
    fields = fields_of_row(row, WIDE)
    assert fields["content"] == "Kenya; capital: Nairobi\nKenya; area: 580367"
    assert (fields["title"], fields["external_id"]) == ("Kenya", "Kenya")
    long = fields_of_row({"item": "Kenya", "property": "capital", "answer": "Nairobi"}, LONG)
    assert (long["content"], long["external_id"]) == ("Kenya; capital: Nairobi", "Kenya; capital")


def test_a_table_must_have_the_columns() -> None:
    require_columns(["country", "capital", "area_km2", "more"], WIDE)
    with pytest.raises(ValueError, match="no column 'area_km2'; the columns are 'country', 'capital', 'area'"):
        require_columns(["country", "capital", "area"], WIDE)
