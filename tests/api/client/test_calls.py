"""Every call is one of the OpenAPI document: its path, parameters, the fields of its body, and its response."""

import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from api.client import calls
from api.client.call import Call, Operation
from api.http.middleware.idempotency import SECRET_SUFFIXES
from api.http.schemas.base import EventView
from api.http.schemas.misreadings import VerdictInput
from registry.answers.schemas import AnswerParameters, ShareInput
from registry.conflict_scores.schemas import ConflictInput
from registry.connectors.schemas import ConnectorInput, ConnectorPatch
from registry.corpora.schemas import CorpusInput, CorpusPatch
from registry.documents.schemas import DocumentInput, DocumentLine
from registry.estimations.schemas import CurrentRunInput, EstimationParameters, RunPatch
from registry.keys.schemas import KeyInput, KeyPatch, RotationInput, Scope
from registry.people.schemas import PersonInput, PersonPatch
from registry.platform.enums import QueryOrigin, Role, SourceStatus, Verdict
from registry.queries.schemas import GoldInput, JoinInput, QueryInput, QueryPatch
from registry.query_generations.schemas import GenerationParameters
from registry.schedules.schemas import ScheduleInput, SchedulePatch
from registry.search.schemas import SearchInput
from registry.sources.schemas import OverrideInput, RatingInput, RatingLine, SourceInput, SourcePatch
from registry.votes.schemas import ConsensusInput, VoteInput, VoteLine
from registry.watches.schemas import WatchInput
from registry.webhooks.schemas import WebhookInput, WebhookPatch
from tests.api.http.test_openapi import document_of
from tests.tables import for_each

ID = UUID(int=7)
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "ask": ("What colour is it?", AnswerParameters(kappa=3)),
    "start_answer": ("What colour is it?", AnswerParameters(kappa=3)),
    "share_answer": (ID, ShareInput(days=7)),
    "score_conflicts": (ConflictInput(response="It is red."),),
    "create_connector": (
        ConnectorInput.model_validate({"name": "x", "kind": "feed", "config": {"urls": ["http://a/"]}}),
    ),
    "update_connector": (ID, ConnectorPatch(cron=None)),
    "create_corpus": (CorpusInput(name="press"),),
    "update_corpus": (CorpusPatch(use_gold=False),),
    "send_document": ("Herald", DocumentInput(content="The tower is red.")),
    "send_documents": ([DocumentLine(source="Herald", content="The tower is red.")],),
    "send_documents_of": ("Herald", [DocumentInput(content="The tower is red.")]),
    "search": (SearchInput(query="tower"),),
    "start_estimation": (EstimationParameters(),),
    "update_estimation": (ID, RunPatch(name="spring")),
    "make_estimation_current": (ID, CurrentRunInput(instead_of=ID)),
    "compare_estimations": (ID, ID),
    "create_schedule": (ScheduleInput(name="nightly", cron="0 3 * * *"),),
    "update_schedule": (ID, SchedulePatch(enabled=False)),
    "create_key": (KeyInput(name="import", scopes=frozenset([Scope.INGEST])),),
    "update_key": (ID, KeyPatch(daily_tokens=5)),
    "rotate_key": (ID, RotationInput(overlap_seconds=5)),
    "revoke_key": (ID,),
    "add_person": (PersonInput(email="ada@example.org", role=Role.OWNER),),
    "update_person": (ID, PersonPatch(role=Role.READER)),
    "create_query": (QueryInput(text="What colour is it?"),),
    "send_queries": ([QueryInput(text="What colour is it?")],),
    "update_query": (ID, QueryPatch(active=False)),
    "generate_queries": (GenerationParameters(queries=3),),
    "set_gold": (ID, GoldInput(answers=["red"])),
    "join_answers": (JoinInput(question="What colour is it?", answers=["red", "scarlet"]),),
    "create_source": (SourceInput(name="Herald"),),
    "update_source": ("Herald", SourcePatch(name="Herald")),
    "set_override": ("Herald", OverrideInput(reliability=0.5, reason="Hacked")),
    "set_rating": ("Herald", RatingInput(rating=0.5, origin="List")),
    "send_ratings": ([RatingLine(external_id="Herald", rating=0.5, origin="List")],),
    "judge_misreading": (ID, VerdictInput(verdict=Verdict.CONFIRMED)),
    "send_votes": ([VoteLine(source="Herald", query="q-1", answer="red")],),
    "count_votes": (ConsensusInput(votes=[VoteInput(source="Herald", answer="red")]),),
    "create_webhook": (WebhookInput(url="https://hooks.example/"),),
    "create_watch": (WatchInput(source="Herald"),),
    "update_webhook": (ID, WebhookPatch(enabled=False)),
}
# Query parameters that are named where commands use them.
NAMED: dict[str, dict[str, object]] = {
    "delete_votes": {"query": "q-1", "source": "Herald"},
    "export_table": {"format": "csv", "estimation_id": ID},
    "list_documents": {"reference": "a"},
    "list_gold": {"limit": 5},
    "list_imported_votes": {"query": "q-1", "source": "Herald"},
    "list_misreadings": {"open": True, "limit": 5},
    "list_queries": {"origin": QueryOrigin.GIVEN},
    "list_source_votes": {"against": True, "limit": 5},
    "list_sources": {"status": SourceStatus.ACTIVE},
    "send_documents": {"stated_values": "subject=country, capital", "contradictions": 5},
}
CALLS: dict[str, Callable[..., Call[Any]]] = {
    name: make
    for name, make in vars(calls).items()
    if make.__class__.__module__ == "api.client.call" or getattr(make, "__module__", "").startswith("api.client.nouns")
    if name != "step_by_step"
}


@pytest.fixture
def document() -> dict[str, Any]:
    return document_of(keys_required=False)


def call_of(name: str) -> Call[Any]:
    """The call with a value for each argument."""
    make = CALLS[name]
    places = re.findall(r"{(?!corpus})\w+}", make.operation) if isinstance(make, Operation) else ()
    call: Call[Any] = make(*ARGUMENTS.get(name, (ID,) * len(places)), **NAMED.get(name, {}))
    return call


@for_each("name", CALLS)
def test_a_call_is_in_the_document(name: str, document: dict[str, Any]) -> None:
    call = call_of(name)
    operation = document["paths"][call.template][call.method.lower()]
    parameters = {(place["in"], place["name"]) for place in operation.get("parameters", []) if "$ref" not in place}
    assert {name for place, name in parameters if place == "path"} == call.path.keys() | set(
        re.findall("{(corpus)}", call.template)
    )
    assert {("query", name) for name in call.query} <= parameters
    assert {("header", name.lower()) for name in call.headers} <= {(place, name.lower()) for place, name in parameters}
    successes = [response for status, response in operation["responses"].items() if status.startswith("2")]
    success = successes[0]
    if call.body is not None:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        assert call.body.model_dump(exclude_unset=True).keys() <= _properties(schema, document).keys()
    if call.method == "POST":
        assert call.is_repeatable != call.template.endswith(SECRET_SUFFIXES), "the response holds a secret"
    if call.lines:
        assert "application/x-ndjson" in success["content"]
    elif call.response is EventView:
        assert any("text/event-stream" in response.get("content", {}) for response in successes)
    elif "application/json" in success.get("content", {}):
        schema = success["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        assert schema.removesuffix("_") == call.response.__name__


def test_an_argument_too_few_or_too_many_is_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        calls.get_document("Herald")
    with pytest.raises(ValueError, match="longer"):
        calls.list_answers("Herald")


def _properties(schema: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref") or schema["allOf"][0]["$ref"]
    properties: dict[str, Any] = document["components"]["schemas"][reference.rpartition("/")[2]]["properties"]
    return properties
