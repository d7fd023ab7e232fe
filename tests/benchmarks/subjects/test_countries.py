"""The country data set: what its sources state, which of it is right, and the questions that are made of it."""

import gzip
import json
from pathlib import Path

import pytest

from benchmarks.subjects.countries import load, subject
from benchmarks.subjects.halves import Half, half_of
from benchmarks.subjects.statements import Relation, Statement, statements
from benchmarks.subjects.truth import capitals, is_named, right_statements
from tests.tables import for_each

DOCUMENTS = {
    "icyrockcom": "Lyngland: the capital city is Lyng.",
    "lorey list-of-countries": "The capital of Lyngland is Lyng. It has 84,000 inhabitants and an area of 468 square "
    "kilometres. In Lyngland people pay with the Mark. The telephone code is +376.",
    "annexare": "Lyngland is a country in Europe. Its capital is Lýng. The phone prefix of Lyngland is +376. "
    "Lyngland uses LYM as its currency.",
    "geonames": "Lyngland (LYN): the seat of government and capital is Myhre. 77,006 people live in Lyngland, on "
    "468 km². The Mark is the money of Lyngland. Its phone code is +376.",
    "CIA World Factbook 2026": "Capital of Lyngland: name: Lyng (old town); geographic coordinates: 42 30 N\n\n"
    "Area of Lyngland: total : 900 sq km; land: 1\n\nExchange rates of Lyngland: Currency: marks (LYM) per US dollar -",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = [
        {"source": source, "external_id": "LY", "title": "Lyngland", "content": content}
        for source, content in DOCUMENTS.items()
    ]
    text = "\n".join(map(json.dumps, lines))
    (tmp_path / "documents.ndjson.gz").write_bytes(gzip.compress(text.encode()))
    query = {"text": "How many people live in the Lyngland?"}
    (tmp_path / "queries.ndjson").write_text(json.dumps(query), encoding="utf-8")
    return tmp_path


def test_a_country_without_a_capital_question_gets_one_with_what_sources_agree_on(folder: Path) -> None:
    countries = load(folder)
    assert [query.text for query in countries.queries] == [
        "How many people live in the Lyngland?",
        "What is the capital of the Lyngland?",
    ]
    (capital,) = countries.capital_queries
    assert capital.golds == ("Lyng", "Lýng")


def test_statements_are_judged_by_agreement(folder: Path) -> None:
    right = load(folder).right
    wrong = {(statement.source, statement.relation) for statement, verdict in right.items() if not verdict}
    assert wrong == {("geonames", Relation.CAPITAL), ("CIA World Factbook 2026", Relation.AREA)}
    assert Statement("annexare", "LY", Relation.CURRENCY, "LYM") in right


def test_a_half_keeps_all_documents_and_its_own_queries(folder: Path) -> None:
    countries = load(folder)
    own = half_of("LY")
    other = Half.REPORT if own is Half.DEVELOP else Half.DEVELOP
    assert len(countries.of(own).queries) == 2
    assert countries.of(other).queries == []
    assert len(countries.of(other).lines) == len(DOCUMENTS)


@for_each(
    ("source", "relation", "value"),
    [
        ("CIA World Factbook 2026", Relation.CAPITAL, "Lyng"),
        ("CIA World Factbook 2026", Relation.CURRENCY, "marks (LYM)"),
        ("lorey list-of-countries", Relation.POPULATION, "84,000"),
        ("geonames", Relation.AREA, "468"),
        ("annexare", Relation.CALLING_CODE, "376"),
    ],
)
def test_rules_read_the_value_alone(source: str, relation: Relation, value: str) -> None:
    assert Statement(source, "LY", relation, value) in set(statements(source, "LY", DOCUMENTS[source]))


@for_each(
    ("relation", "values", "verdicts"),
    [
        (Relation.CALLING_CODE, ["1246", "1246", "1", "1204"], [True, True, True, False]),
        (Relation.CURRENCY, ["koruny (CZK)", "Koruna", "Czech koruna", "mark", "CZK"], [True, True, True, False, True]),
        (Relation.CURRENCY, ["Mark", "Mark", "XXX"], [True, True, None]),
        (Relation.AREA, ["100", "102", "150"], [True, True, False]),
        (Relation.CAPITAL, ["Lyng", "lyng (city)", "Myhre"], [True, True, False]),
    ],
)
def test_what_is_right(relation: Relation, values: list[str], verdicts: list[bool | None]) -> None:
    stated = [Statement(f"source {number}", "LY", relation, value) for number, value in enumerate(values)]
    judged = right_statements(stated, {"LY": ["Lyng"]})
    assert [judged.get(statement) for statement in stated] == verdicts


def test_a_former_capital_of_one_source_is_no_gold_answer() -> None:
    named = ["Lyng", "Lyng", "Dahl"]
    stated = [Statement(f"source {number}", "LY", Relation.CAPITAL, name) for number, name in enumerate(named)]
    assert capitals(stated, {"LY": ("Lyng town",)}) == {"LY": ("Lyng town", "Lyng")}


def test_names_compare_without_marks_and_articles() -> None:
    assert is_named("the Malé", ["Male"])
    assert not is_named("la Vella", ["Andorra la Vella"])


def test_a_question_of_another_kind_has_no_subject() -> None:
    assert subject("What is the capital of the Maldives?") == "the Maldives"
    with pytest.raises(ValueError, match="not a question of the country data set"):
        subject("Who built the mill?")
