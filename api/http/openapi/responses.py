"""The responses of routes for the OpenAPI document: problems, headers and NDJSON."""

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from api.http.error_formats import (
    DIFY_PATHS,
    JSON_TYPE,
    NEXTCLOUD_PATHS,
    OPENAI_PATHS,
    PROBLEM_TYPE,
    dify_error,
    nextcloud_error,
    openai_error,
)
from api.http.problems import INVALID, KINDS, ProblemKind
from api.http.schemas.base import Problem
from api.http.streaming.result_lines import ResultLines

LOCATION = {"Location": {"description": "Address of what was made.", "schema": {"type": "string"}}}
RETRY_AFTER = {"Retry-After": {"description": "Seconds to wait before looking again.", "schema": {"type": "integer"}}}


def failures() -> dict[str, Any]:
    """The responses of requests that failed, by the name of their schema, with an example of each kind of problem."""
    problems = {kind.slug: Problem(**_example(kind)) for kind in KINDS}
    shapes: tuple[tuple[str, str, Callable[[Problem], BaseModel]], ...] = (
        ("Problem", PROBLEM_TYPE, lambda problem: problem),
        ("OpenAIError", JSON_TYPE, openai_error),
        ("DifyError", JSON_TYPE, dify_error),
        ("NextcloudError", JSON_TYPE, nextcloud_error),
    )
    return {
        schema: {
            "description": "Why the request failed.",
            "headers": RETRY_AFTER,
            "content": {
                media_type: {
                    "schema": {"$ref": f"#/components/schemas/{schema}"},
                    "examples": {
                        slug: {"summary": problem.title, "value": shape(problem).model_dump(exclude_none=True)}
                        for slug, problem in problems.items()
                    },
                }
            },
        }
        for schema, media_type, shape in shapes
    }


def failure_at(path: str) -> str:
    """The name of the response of `failures` that a path has."""
    if OPENAI_PATHS.match(path):
        return "OpenAIError"
    if NEXTCLOUD_PATHS.match(path):
        return "NextcloudError"
    return "DifyError" if DIFY_PATHS.match(path) else "Problem"


def _example(kind: ProblemKind) -> dict[str, Any]:
    example: dict[str, Any] = {
        "type": kind.type,
        "title": kind.title,
        "status": kind.status,
        "detail": kind.meaning,
        "instance": "/v1/corpora/default/answers",
        "request_id": "0199f0a2c4e57d3a8b1c2d3e4f5a6b7c",
    }
    if kind is INVALID:
        example["errors"] = [{"location": "body.parameters.kappa", "message": "Input should be a valid integer"}]
    return example


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


def importing(line: str, example: str, **others: tuple[str, str]) -> dict[str, Any]:
    """What a route of an import has beside its path; `line` names the schema of the lines of its body.

    `others` are descriptions and examples of other forms that it takes, by the subtype of `text/`.
    """
    schema = {"type": "string", "description": f"One JSON object a line, each a `{line}`.", "contentEncoding": "utf-8"}
    content = {"application/x-ndjson": {"schema": schema, "example": example}}
    for subtype, (description, shown) in others.items():
        content[f"text/{subtype}"] = {"schema": schema | {"description": description}, "example": shown}
    body = {"required": True, "description": "May be gzipped (`Content-Encoding`).", "content": content}
    return {
        "responses": {200: _RESULT_LINES},
        "openapi_extra": {"requestBody": body},
        "status_code": 200,
        "response_class": ResultLines,
        "response_model": None,
    }


_RESULT_LINES = {
    "description": "One result a line.",
    "content": {
        "application/x-ndjson": {
            "schema": {
                "type": "string",
                "description": "One JSON object a line, each a `LineResult`, one for each line sent that is not blank; "
                "their `line` says which.",
            },
            "example": '{"line":1,"status":"created","id":"0199f0a2-c4e5-7d3a-8b1c-2d3e4f5a6b7c","external_id":"a",'
            '"error":null}\n',
        }
    },
}
