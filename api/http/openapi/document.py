"""The OpenAPI document that FastAPI generates, with headers, idempotency keys and streams, and its page at `/docs`."""

import json
from pathlib import Path
from typing import Any, ClassVar

from fastapi import APIRouter, FastAPI
from starlette.responses import FileResponse
from starlette.staticfiles import StaticFiles

from api.http.middleware.body_limit import IMPORT_SUFFIX
from api.http.middleware.idempotency import SECRET_SUFFIXES
from api.http.openapi.responses import failure_at, failures
from api.http.schemas.base import Problem
from api.http.schemas.chat import OpenAIError
from api.http.schemas.dify import DifyError
from api.http.schemas.nextcloud import NextcloudError
from api.http.scopes import operations
from registry.documents.schemas import DocumentLine, LineResult
from registry.sources.schemas import RatingLine
from registry.votes.schemas import VoteLine

TAGS = [
    {"name": "corpora", "description": "Namespaces of sources; `default` always exists."},
    {"name": "sources", "description": "Publishers, their reliabilities, ratings and overrides."},
    {"name": "documents", "description": "Texts that sources published."},
    {"name": "queries", "description": "Questions on which sources are compared."},
    {"name": "votes", "description": "Answers of sources, imported without documents, and their consensus."},
    {"name": "estimations", "description": "Estimates of all reliabilities of a corpus, down to the votes."},
    {"name": "connectors", "description": "Files and addresses from which documents are kept up to date."},
    {"name": "schedules", "description": "Times at which estimations and connectors start."},
    {"name": "webhooks", "description": "Addresses that are told of what happens in a corpus."},
    {"name": "watches", "description": "Feeds of sources that turn or fall."},
    {"name": "answers", "description": "Questions, and answers with their evidence."},
    {"name": "conflict scores", "description": "How far documents dispute a response."},
    {"name": "sync clients", "description": "Interfaces that other programs send files to: sources of a corpus."},
    {"name": "chat clients", "description": "OpenAI's API for chat front ends: corpora as models, answers as prose."},
    {"name": "keys", "description": "API keys with scopes, of one corpus or of the operators."},
    {"name": "people", "description": "People who sign in with a provider of identities, and their roles."},
    {"name": "audit", "description": "The audit log."},
    {"name": "operations", "description": "Health and metrics."},
]
DESCRIPTION = """\
Credence estimates how reliable each source of a corpus is, without labels, and answers questions from the reliable
sources.

Errors are problems of RFC 9457 (`application/problem+json`); routes for clients of other APIs use the errors of those
APIs. Continue lists with `?cursor=`. Long work answers 202 with a `Location`, which you can poll or follow as
server-sent events. A POST with an `Idempotency-Key` is done once. Times are RFC 3339 in UTC, scores are numbers from 0
to 1.
"""
_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Repeat a request with the same key, within a day, to get the first response again.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
    "example": "7d1c2f0e-import-42",
}
_REQUEST_ID = {"description": "The request id, which is also in the log.", "schema": {"type": "string"}}


class OpenApi:
    """Makes the document when it is first requested, and keeps it for all apps of the process."""

    _documents: ClassVar[dict[bool, dict[str, Any]]] = {}
    _generated: ClassVar[list[str]] = []

    def __init__(self, app: FastAPI, *, keys_required: bool) -> None:
        self._app = app
        self._generate = app.openapi
        self._keys_required = keys_required

    def __call__(self) -> dict[str, Any]:
        if self._keys_required not in self._documents:
            if not self._generated:
                self._generated.append(_with_names_of_lists(self._generate()))
            self._documents[self._keys_required] = self._extend(json.loads(self._generated[0]))
        return self._documents[self._keys_required]

    def _extend(self, document: dict[str, Any]) -> dict[str, Any]:
        components = document.setdefault("components", {})
        components.setdefault("schemas", {}).update(_schemas())
        components["parameters"], components["responses"] = {"IdempotencyKey": _IDEMPOTENCY_KEY}, failures()
        for response in components["responses"].values():
            response["headers"] = {"X-Request-ID": _REQUEST_ID, **response["headers"]}
        needs = {operation.name: operation.needs for operation in operations(self._app)}
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                self._describe(path, method, operation)
                if scopes := needs.get(f"{method.upper()} {path}"):
                    said = operation.get("description", "")
                    operation["description"] = f"{said}\n\nNeeds the scope {scopes}.".strip()
        return document

    def _describe(self, path: str, method: str, operation: dict[str, Any]) -> None:
        if method == "post" and not path.endswith((IMPORT_SUFFIX, *SECRET_SUFFIXES)):
            operation.setdefault("parameters", []).append({"$ref": "#/components/parameters/IdempotencyKey"})
        if "security" in operation and not self._keys_required:
            operation["security"] = [{}, *operation["security"]]
        for response in operation["responses"].values():
            response["headers"] = {"X-Request-ID": _REQUEST_ID, **response.get("headers", {})}
        operation["responses"]["default"] = {"$ref": f"#/components/responses/{failure_at(path)}"}


def _with_names_of_lists(document: dict[str, Any]) -> str:
    """The document as JSON, with lists named by their titles: pydantic names `SourceList` `ListView_SourceView_`."""
    text = json.dumps(document)
    for name, schema in document["components"]["schemas"].items():
        if name.startswith("ListView_"):
            text = text.replace(name, schema["title"])
    return text


def _schemas() -> dict[str, Any]:
    schemas: dict[str, Any] = {}
    for model in (Problem, LineResult, RatingLine, DocumentLine, VoteLine, OpenAIError, DifyError, NextcloudError):
        schema = model.model_json_schema(mode="serialization", ref_template="#/components/schemas/{model}")
        schemas |= schema.pop("$defs", {})
        schemas[model.__name__] = schema
    return schemas


FOLDER = Path(__file__).parents[1] / "swagger"
# Swagger UI sets styles of elements, and shows images that are part of its style sheet.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"
)
ASSETS = StaticFiles(directory=FOLDER)

router = APIRouter()


@router.get("/docs", include_in_schema=False)
async def show_documentation() -> FileResponse:
    return FileResponse(FOLDER / "index.html", headers={"Content-Security-Policy": POLICY})
