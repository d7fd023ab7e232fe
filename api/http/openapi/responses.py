"""The responses of routes for the OpenAPI document: problems, headers and NDJSON."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, TypeAlias

from pydantic import BaseModel

from api.http import problems
from api.http.error_formats import JSON_TYPE, PROBLEM_TYPE, dify_error, openai_error
from api.http.problems import ProblemKind
from api.http.schemas.problems import Problem

Responses: TypeAlias = dict[int | str, dict[str, Any]]

_ALWAYS = (
    problems.UNAUTHENTICATED,
    problems.FORBIDDEN,
    problems.INVALID,
    problems.TOO_MANY_REQUESTS,
    problems.INTERNAL,
    problems.UNAVAILABLE,
)
_WITH_BODY = (problems.MALFORMED_BODY, problems.TOO_LARGE, problems.UNSUPPORTED_MEDIA_TYPE)
_WITH_KEY = (problems.KEY_IN_USE, problems.KEY_REUSED)

LOCATION = {"Location": {"description": "Address of what was made.", "schema": {"type": "string"}}}
RETRY_AFTER = {"Retry-After": {"description": "Seconds to wait before looking again.", "schema": {"type": "integer"}}}


def read_responses(*more: ProblemKind) -> Responses:
    """The problems of a route that only reads something of a corpus."""
    return problem_responses(*_ALWAYS, problems.NOT_FOUND, *more)


def write_responses(*more: ProblemKind) -> Responses:
    """The problems of a route that takes a body to change something of a corpus."""
    return problem_responses(*_ALWAYS, problems.NOT_FOUND, *_WITH_BODY, *more)


def post_responses(*more: ProblemKind) -> Responses:
    """The problems of a POST, which may carry an idempotency key."""
    return write_responses(*_WITH_KEY, *more)


def problem_responses(*kinds: ProblemKind) -> Responses:
    """The responses of these kinds of problem, by status."""
    by_status: dict[int | str, list[ProblemKind]] = {}
    for kind in kinds:
        by_status.setdefault(int(kind.status), []).append(kind)
    return {status: _response(HTTPStatus(int(status)), same) for status, same in sorted(by_status.items(), key=str)}


def _response(status: HTTPStatus, kinds: list[ProblemKind]) -> dict[str, Any]:
    examples = {kind.slug: {"summary": kind.title, "value": _example(kind)} for kind in kinds}
    content = {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}, "examples": examples}}
    described: dict[str, Any] = {"description": " / ".join(kind.title for kind in kinds), "content": content}
    if any(kind.retry_after for kind in kinds):
        described["headers"] = RETRY_AFTER
    if status == HTTPStatus.UNAUTHORIZED:
        described["headers"] = {"WWW-Authenticate": {"description": "`Bearer`.", "schema": {"type": "string"}}}
    return described


def _example(kind: ProblemKind) -> dict[str, Any]:
    example: dict[str, Any] = {
        "type": kind.type,
        "title": kind.title,
        "status": int(kind.status),
        "detail": kind.meaning,
        "instance": "/v1/corpora/default/answers",
        "request_id": "0199f0a2c4e57d3a8b1c2d3e4f5a6b7c",
    }
    if kind is problems.INVALID:
        example["errors"] = [{"location": "body.parameters.kappa", "message": "Input should be a valid integer"}]
    return example


def in_openai_shape(responses: Responses) -> Responses:
    """The same failures as OpenAI's API tells them."""
    return _in_shape(responses, "OpenAIError", openai_error)


def in_dify_shape(responses: Responses) -> Responses:
    """The same failures as Dify shows them."""
    return _in_shape(responses, "DifyError", dify_error)


def _in_shape(responses: Responses, schema: str, shape: Callable[[Problem], BaseModel]) -> Responses:
    return {status: response | {"content": _content(response, schema, shape)} for status, response in responses.items()}


def _content(response: dict[str, Any], schema: str, shape: Callable[[Problem], BaseModel]) -> dict[str, Any]:
    examples = {
        slug: example | {"value": shape(Problem(**example["value"])).model_dump()}
        for slug, example in response["content"][PROBLEM_TYPE]["examples"].items()
    }
    return {JSON_TYPE: {"schema": {"$ref": f"#/components/schemas/{schema}"}, "examples": examples}}


def created(description: str) -> dict[str, Any]:
    """A success with the address of what was made in Location."""
    return {"description": description, "headers": LOCATION}


def accepted(description: str) -> dict[str, Any]:
    """Work that was accepted, with the address of its result in Location."""
    return {"description": description, "headers": {**LOCATION, **RETRY_AFTER}}


def event_stream_of(description: str) -> dict[str, Any]:
    """A success that is JSON, or server-sent events where the request asks for a stream."""
    event = {"type": "object", "properties": {"data": {"type": "string"}, "event": {"type": "string"}}}
    return {"description": description, "content": {"text/event-stream": {"itemSchema": event}}}


def ndjson_request(line: str, example: str, **others: tuple[str, str]) -> dict[str, Any]:
    """The body of an import, for `openapi_extra`; `line` names the schema of its lines.

    `others` are descriptions and examples of other forms that it takes, by the subtype of `text/`.
    """
    schema = {"type": "string", "description": f"One JSON object a line, each a `{line}`.", "contentEncoding": "utf-8"}
    content = {"application/x-ndjson": {"schema": schema, "example": example}}
    for subtype, (description, shown) in others.items():
        content[f"text/{subtype}"] = {"schema": schema | {"description": description}, "example": shown}
    return {
        "requestBody": {"required": True, "description": "May be gzipped (`Content-Encoding`).", "content": content}
    }


def ndjson_response() -> dict[str, Any]:
    """The response of an import: one result a line."""
    schema = {
        "type": "string",
        "description": "One JSON object a line, each a `LineView`, one for each line sent that is not blank; their `line` says which.",  # noqa: E501  (one example, sent as it stands)
    }
    example = (
        '{"line":1,"status":"created","id":"0199f0a2-c4e5-7d3a-8b1c-2d3e4f5a6b7c","external_id":"a","error":null}\n'
    )
    return {
        "description": "One result a line.",
        "content": {"application/x-ndjson": {"schema": schema, "example": example}},
    }
