"""What texts are taken, and why others are not."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from registry.documents.schemas import DocumentInput
from registry.platform.fields import Input, Moment
from registry.platform.ndjson import explain
from registry.sources.schemas import SourceInput
from tests.tables import for_each


class Timed(Input):
    """Something with a time."""

    at: Moment


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=200).filter(str.strip))
def test_names_of_every_script_are_taken_as_they_are(name: str) -> None:
    assert SourceInput(name=name).name == name


@for_each(
    ("name", "why"),
    [
        ("", "at least 1 character"),
        (" \t ", "blank"),
        ("a\x00b", "NUL"),
        ("two\nlines", "control character"),
        ("a" * 201, "at most 200 characters"),
    ],
)
def test_names_that_cannot_be_stored_or_shown_are_refused(name: str, why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        SourceInput(name=name)


def test_half_a_surrogate_pair_is_refused_wherever_it_stands() -> None:
    for body in ('{"name": "a\\ud800"}', '{"name": "a", "attributes": {"\\udc00": 1}}'):
        with pytest.raises(ValidationError):
            SourceInput.model_validate_json(body)
        with pytest.raises(ValidationError):
            SourceInput.model_validate(json.loads(body))


def nested(depth: int) -> object:
    return {"a": nested(depth - 1)} if depth else 1


@for_each(
    ("attributes", "why"),
    [
        ({"a": float("nan")}, "not finite"),
        ({"a": [float("inf")]}, "not finite"),
        ({"a": 10**101}, "100 digits"),
        ({"a": "x" * 70_000}, "longer than"),
        ({"a": {"b": ["\x00"]}}, "NUL"),
        (nested(40), "nested"),
    ],
)
def test_attributes_that_json_or_postgres_cannot_hold_are_refused(attributes: object, why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        SourceInput.model_validate({"name": "a", "attributes": attributes})


def test_times_are_kept_in_utc_and_within_the_calendar() -> None:
    assert Timed.model_validate({"at": "2024-05-01T02:00:00+02:00"}).at == datetime(2024, 5, 1, tzinfo=UTC)
    assert Timed.model_validate({"at": "2023-10-05"}).at == datetime(2023, 10, 5, tzinfo=UTC)
    for impossible in (
        "2023-02-30",
        "2023-10",
        "0001-01-01T00:00:00+05:00",
        "9999-12-31T23:59:59-05:00",
        "2024-05-01T00:00:00",
    ):
        with pytest.raises(ValidationError):
            Timed.model_validate({"at": impossible})


class Outer(Input):
    """Something with parameters of its own."""

    question: str = ""
    parameters: Timed | None = None
    source: SourceInput = SourceInput(name="a")


def test_an_unknown_field_is_answered_with_the_one_that_was_meant() -> None:
    for unknown, meant in (("qestion", "`question`"), ("attributes", "`source.attributes`"), ("zzz", "fields are")):
        with pytest.raises(ValidationError) as refused:
            Outer.model_validate({unknown: 1})
        (detail,) = refused.value.errors()
        assert detail["loc"] == (unknown,)
        assert meant in detail["msg"]
    with pytest.raises(ValidationError) as refused:
        Outer.model_validate_json('{"source": {"name": "", "ulr": "{x}"}, "question": 1}')
    messages = {detail["loc"]: detail["msg"] for detail in refused.value.errors()}
    assert messages.keys() == {("source", "name"), ("source", "ulr"), ("question",)}
    assert "Did you mean `url`?" in messages["source", "ulr"]
    assert "at least 1 character" in messages["source", "name"]


def test_a_misspelt_field_is_an_error_and_what_was_sent_is_not_repeated() -> None:
    with pytest.raises(ValidationError) as refused:
        DocumentInput.model_validate({"content": "a", "tilte": "secret text"})
    assert "tilte" in explain(refused.value)
    assert "secret" not in explain(refused.value)
