"""Every call is one of the OpenAPI document: its path, parameters, the fields of its body, and its response."""

import inspect
from typing import Any
from uuid import UUID

import pytest

from api.client import calls
from api.client.call import Call
from api.http.schemas.misreadings import VerdictInput
from api.http.schemas.streams import EventView
from registry.answers.schemas import AnswerParameters, ShareInput
from registry.conflict_scores.schemas import ConflictInput
from registry.connectors.schemas import ConnectorInput, ConnectorPatch
from registry.corpora.schemas import CorpusInput, CorpusPatch
from registry.documents.schemas import DocumentInput, DocumentLine
from registry.estimations.schemas import EstimationParameters
from registry.keys.schemas import KeyInput, KeyPatch, RotationInput, Scope
from registry.platform.enums import ExportName, QueryOrigin, SourceStatus, Verdict
from registry.queries.schemas import GoldInput, JoinInput, QueryInput, QueryPatch
from registry.query_generations.schemas import GenerationParameters
from registry.schedules.schemas import ScheduleInput, SchedulePatch
from registry.search.schemas import SearchInput
from registry.sources.schemas import OverrideInput, RatingInput, RatingLine, SourceInput, SourcePatch
from registry.votes.schemas import ConsensusInput, VoteInput, VoteLine
from registry.webhooks.schemas import WebhookInput, WebhookPatch
from tests.api.http.test_openapi import document_of
from tests.tables import for_each

VALUES: dict[str, Any] = {
    "document": DocumentInput(content="The tower is red."),
    "documents": [DocumentLine(source="Herald", content="The tower is red.")],
    "query": QueryInput(text="What colour is it?"),
    "queries": [QueryInput(text="What colour is it?")],
    "gold": GoldInput(answers=["red"]),
    "share": ShareInput(days=7),
    "join": JoinInput(question="What colour is it?", answers=["red", "scarlet"]),
    "question": "What colour is it?",
    "source": "Herald",
    "corpus": "default",
    "votes": [VoteLine(source="Herald", query="q-1", answer="red")],
    "ratings": [RatingLine(external_id="Herald", rating=0.5, origin="List")],
    "schedule": ScheduleInput(name="nightly", cron="0 3 * * *"),
    "new_key": KeyInput(name="import", scopes=frozenset([Scope.INGEST])),
    "rotation": RotationInput(overlap_seconds=5),
    "connector": ConnectorInput.model_validate({"name": "x", "kind": "feed", "config": {"urls": ["http://a/"]}}),
    "webhook": WebhookInput(url="https://hooks.example/"),
}
INPUTS: dict[str, Any] = {
    "create_corpus": {"corpus": CorpusInput(name="press")},
    "update_corpus": {"patch": CorpusPatch(use_gold=False)},
    "create_source": {"source": SourceInput(name="Herald")},
    "list_sources": {"status": SourceStatus.ACTIVE},
    "update_source": {"patch": SourcePatch(name="Herald")},
    "set_override": {"override": OverrideInput(reliability=0.5, reason="Hacked")},
    "set_rating": {"rating": RatingInput(rating=0.5, origin="List")},
    "list_misreadings": {"limit": 5},
    "judge_misreading": {"verdict": VerdictInput(verdict=Verdict.CONFIRMED)},
    "list_queries": {"origin": QueryOrigin.GIVEN},
    "update_query": {"patch": QueryPatch(active=False)},
    "generate_queries": {"parameters": GenerationParameters(queries=3)},
    "export_table": {"table": ExportName.SOURCES},
    "list_gold": {"limit": 5},
    "count_votes": {"votes": ConsensusInput(votes=[VoteInput(source="Herald", answer="red")])},
    "get_consensus": {"query": "q-1"},
    "list_imported_votes": {"query": "q-1"},
    "delete_votes": {"query": "q-1"},
    "update_schedule": {"patch": SchedulePatch(enabled=False)},
    "update_connector": {"patch": ConnectorPatch(cron=None)},
    "update_webhook": {"patch": WebhookPatch(enabled=False)},
    "list_deliveries": {"limit": 5},
    "get_revision": {"revision": 2},
    "update_key": {"patch": KeyPatch(daily_tokens=5)},
    "compare_estimations": {"before": UUID(int=1), "after": UUID(int=2)},
    "make_estimation_current": {"instead_of": UUID(int=1)},
    "rename_estimation": {"name": "spring"},
    "start_estimation": {"parameters": EstimationParameters()},
    "ask": {"parameters": AnswerParameters(kappa=3)},
    "start_answer": {"parameters": AnswerParameters(kappa=3)},
    "search": {"values": SearchInput(query="tower")},
    "score_conflicts": {"values": ConflictInput(response="It is red.")},
}
FUNCTIONS = [
    function
    for _name, function in inspect.getmembers(calls, inspect.isfunction)
    if function.__module__.startswith("api.client.nouns.")
]


@pytest.fixture
def document() -> dict[str, Any]:
    return document_of(keys_required=False)


def call_of(function: Any) -> Call[Any]:  # noqa: ANN401  (any function of the module)
    """The call with a value for each argument."""
    values = VALUES | INPUTS.get(function.__name__, {})
    names = [name for name in inspect.signature(function).parameters if name in values or name.endswith("_id")]
    call: Call[Any] = function(**{name: values.get(name, UUID(int=7)) for name in names})
    return call


@for_each("function", FUNCTIONS)
def test_a_call_is_in_the_document(function: Any, document: dict[str, Any]) -> None:  # noqa: ANN401
    call = call_of(function)
    operation = document["paths"][call.template][call.method.lower()]
    parameters = {(place["in"], place["name"]) for place in operation.get("parameters", []) if "$ref" not in place}
    assert {name for place, name in parameters if place == "path"} == call.path.keys()
    assert {("query", name) for name in call.query} <= parameters
    assert {("header", name.lower()) for name in call.headers} <= {(place, name.lower()) for place, name in parameters}
    successes = [response for status, response in operation["responses"].items() if status.startswith("2")]
    success = successes[0]
    if call.body is not None:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        assert call.body.model_dump(exclude_unset=True).keys() <= _properties(schema, document).keys()
    if call.lines:
        assert "application/x-ndjson" in success["content"]
    elif call.response is EventView:
        assert any("text/event-stream" in response.get("content", {}) for response in successes)
    elif "application/json" in success.get("content", {}):
        name = success["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        assert name.removesuffix("_") == call.response.__name__


def _properties(schema: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref") or schema["allOf"][0]["$ref"]
    properties: dict[str, Any] = document["components"]["schemas"][reference.rpartition("/")[2]]["properties"]
    return properties
