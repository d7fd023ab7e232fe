"""What the data sets on countries state, as rules take it from their texts."""

import gzip
import json
from pathlib import Path

from benchmarks.data.countries import load_facts, stated
from tests.tables import for_each


@for_each(
    ("kind", "text", "value"),
    [
        ("capital", "Capital of Norvinia: name: Ostrel; note - seat of all courts", "Ostrel"),
        ("capital", "Capital of Norvinia: Ostrel (since 1900)", "Ostrel"),
        ("capital", "Norvinia. Capital: Ostrel. Population: 84,000.", "Ostrel"),
        ("capital", "Norvinia: the capital city is St. Ostrel.", "St. Ostrel"),
        ("capital", "Ostrel is the capital city of Norvinia.", "Ostrel"),
        ("area", "Area of Norvinia: total: 468 sq km; land: 400 sq km", "468 sq km"),
        ("area", "84,000 people live in Norvinia, on 468 km².", "468 km²"),
        ("currency", "Currency of Norvinia: 1 krel (NK) = 100 ores", "krel (NK)"),
        ("currency", "Exchange rates of Norvinia: Currency: krels (NKR) per US dollar -; 2024: 9", "krels (NKR)"),
        ("currency", "Norvinia uses NKR as its currency.", "NKR"),
        ("calling code", "Its phone code is +1-767.", "+1-767"),
        ("population", "Norvinia has a population of 84,000.", "84,000"),
        ("population", "It has 84,000 inhabitants.", "84,000"),
        ("population", "Norvinia lies in the north.", None),
    ],
)
def test_what_a_text_states(kind: str, text: str, value: str | None) -> None:
    assert stated(text, kind) == value


def test_the_facts_of_a_country(tmp_path: Path) -> None:
    texts = {"one": "<p>The capital of Gambia is Banjul.</p><p>It covers 10 km².</p>", "two": "Capital: Banjul."}
    with gzip.open(tmp_path / "documents.ndjson.gz", "wt", encoding="utf-8") as file:
        for source, content in texts.items():
            file.write(
                json.dumps({"source": source, "external_id": "GM", "title": "Gambia", "content": content}) + "\n"
            )
    (tmp_path / "queries.ndjson").write_text(json.dumps({"text": "What is the capital of the Gambia?"}) + "\n")
    facts = {fact.kind: fact for fact in load_facts(tmp_path)}
    assert facts["capital"].question == "What is the capital of Gambia?"
    assert facts["capital"].answers == ("Banjul", "Banjul")
    assert facts["capital"].was_looked_at
    assert facts["area"].answers == ("10 km²",)
    assert facts["population"].answers == ()
