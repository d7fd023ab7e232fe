"""What texts are taken, why others are not, and what `paper` fills in."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from registry.answers.schemas import AnswerParameters, Strategy
from registry.documents.schemas import DocumentInput
from registry.estimations.schemas import EstimationParameters
from registry.platform.errors import SettingsError
from registry.platform.fields import Input, Moment, require_settings_of_paper
from registry.platform.ndjson import explain
from registry.platform.settings import Settings
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


OF_ANSWERS = {
    "strategy": "wmv",
    "kappa": 4,
    "kappa_counts": "sources",
    "rank_by": "reliability",
    "max_readings": None,
    "stop_early": False,
    "candidates_only": False,
    "min_margin": 0.0,
    "use_topic": False,
    "class_policy": "exact",
}
OF_ESTIMATIONS = {
    "method": "iwmv",
    "labels": "sources",
    "negative_weights": "keep",
    "drift": "none",
    "topics": "none",
    "candidates_only": False,
    "use_gold": False,
    "class_policy": "exact",
}


@for_each(
    ("model", "of_paper", "named"),
    [
        (AnswerParameters, OF_ANSWERS, {"kappa": 2, "strategy": "madam", "topic": "sea"}),
        (AnswerParameters, OF_ANSWERS, {"kappa": None, "class_policy": "rounded"}),
        (EstimationParameters, OF_ESTIMATIONS, {"labels": "5", "method": "one_coin", "max_rounds": 7}),
    ],
)
def test_paper_fixes_what_is_not_named(model: type[BaseModel], of_paper: dict[str, Any], named: dict[str, Any]) -> None:
    def values(**sent: object) -> dict[str, Any]:
        return model.model_validate(sent).model_dump(mode="json")

    plain, alone = values(), values(paper=True)
    assert alone == plain | of_paper | {"paper": True}
    assert values(paper=False) == plain | {"paper": False}
    assert values(paper=True, **named) == alone | named
    # What is stored with an answer or a run is read again.
    assert values(**values(paper=True, **named)) == alone | named


def test_a_question_takes_the_rules_of_its_run_for_what_it_does_not_name() -> None:
    assert AnswerParameters(kappa=2).as_estimated(by_paper=True) == AnswerParameters(kappa=2, paper=True)
    assert AnswerParameters(kappa=None).as_estimated(by_paper=True).kappa == 4
    assert AnswerParameters(kappa=2).as_estimated(by_paper=False).min_margin == AnswerParameters().min_margin
    assert AnswerParameters(paper=False).as_estimated(by_paper=True) == AnswerParameters(paper=False)


@for_each(
    ("strategy", "in_paper"),
    [
        ("madam", {"rounds": 3, "aggregator": True, "first": "agents", "show_reliability": False}),
        ("astute", {"passages": 1, "consolidations": 1, "labels": "kind"}),
        (
            "drag",
            {
                "retrieval_rounds": 3,
                "response_rounds": 3,
                "searches_first": True,
                "fixed_rounds": True,
                "symmetric": False,
            },
        ),
        ("self_consistency", {"samples": 3, "chosen": "selected"}),
    ],
)
def test_debates_have_the_roles_and_rounds_of_their_papers(strategy: str, in_paper: dict[str, Any]) -> None:
    def parameters(**sent: object) -> dict[str, Any]:
        asked = AnswerParameters.model_validate({"strategy": strategy, **sent})
        return asked.parameters_of(Strategy(strategy)).model_dump(mode="json")

    assert in_paper.items() <= parameters(paper=True).items()
    name, value = next(iter(in_paper.items()))
    assert parameters(paper=True, **{strategy: {name: value + 1}}) == parameters(paper=True) | {name: value + 1}
    definition = Strategy(strategy).definition
    assert definition.in_paper.keys() <= definition.parameters.model_fields.keys()


def test_sources_have_to_be_read_as_in_the_paper() -> None:
    require_settings_of_paper(Settings())
    with pytest.raises(SettingsError, match="PASSAGES_PER_SOURCE=3"):
        require_settings_of_paper(Settings().model_copy(update={"passages_per_source": 4}))
