"""What the benchmark of subjects calls right: fields of fact sheets, and questions for yes or no."""

from benchmarks.subjects.countries import Countries, Query
from benchmarks.subjects.fields import agrees, values
from benchmarks.subjects.statements import Relation
from benchmarks.subjects.yes_no import YesNoQuestion, questions
from tests.tables import for_each

COUNTRIES = Countries(
    [
        {"external_id": "ES", "content": "Area of Esk: total: 1,285 sq km\nClimate of the Esk: mild; wet"},
        {"external_id": "ES", "content": "Esk is not landlocked. Esk is a country in Europe."},
        {"external_id": "VA", "content": "Varn is landlocked."},
    ],
    [Query("What is the capital of Esk?", "ES", Relation.CAPITAL)],
    {},
    {"ES": frozenset({"Esk"})},
)


@for_each(
    ("answer", "field", "agreed"),
    [
        ("1,285 km2 (land)", "total: 1285 sq km", True),
        ("mild; wet", "mild", True),
        ("Norn and Scots", "Norn Scots 3%", True),
        ("85 km", "1,285 km", False),
        ("Thai", "Thailand", False),
        ("", "mild", False),
    ],
)
def test_an_answer_agrees_with_a_field_that_has_its_first_item(answer: str, field: str, agreed: bool) -> None:
    assert agrees(answer, [field]) is agreed


def test_fields_are_those_of_lines() -> None:
    assert values(COUNTRIES)["ES"] == {"Area": ["total: 1,285 sq km"], "Climate": ["mild; wet"]}


def test_of_the_countries_asked_about_is_asked_what_sources_state() -> None:
    assert questions(COUNTRIES) == [
        YesNoQuestion("Is Esk in Europe?", "continent", is_so=True),
        YesNoQuestion("Is Esk in North America?", "continent", is_so=False),
        YesNoQuestion("Is Esk landlocked?", "landlocked", is_so=False),
    ]
