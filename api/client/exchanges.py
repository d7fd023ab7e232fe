"""What both clients have in common: requests, failures and when they are tried again, responses, pages and events."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import httpx
from pydantic import BaseModel, ValidationError
from tenacity import RetryCallState, retry_if_exception, stop_after_attempt
from uuid_utils.compat import uuid4

from api.client.call import Call, Nothing
from api.http.schemas.base import EventView, Problem

ATTEMPTS = 5
FIRST_PAUSE_SECONDS = 0.5
# A longer Retry-After, such as until midnight, is for the caller to wait.
MAX_PAUSE_SECONDS = 60.0
ENDED = frozenset({"succeeded", "failed", "cancelled"})
NO_CONTENT = 204
Model = TypeVar("Model", bound=BaseModel)


class ApiFailure(Exception):
    """The service answered with a failure, or not at all; `problem` is what it said, `retry_after` are seconds."""

    def __init__(self, message: str, problem: Problem | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.problem = problem
        self.retry_after = retry_after


class Unreached(ApiFailure):
    """No response came."""

    def __init__(self, why: str) -> None:
        super().__init__(f"The service cannot be reached: {why}")


def request_of(http: "httpx.Client | httpx.AsyncClient", call: Call[Model]) -> httpx.Request:
    """The request; a POST has a key under which a repetition is the same request."""
    headers = dict(call.headers)
    content: bytes | Iterable[bytes] | None = call.content
    is_import = bool(call.lines) or content is not None
    if call.method == "POST" and call.is_repeatable and not is_import:
        headers["Idempotency-Key"] = str(uuid4())
    if is_import:
        headers["Content-Type"] = "application/x-ndjson"
    if call.lines:
        content = "".join(f"{_named(line).model_dump_json(exclude_unset=True)}\n" for line in call.lines).encode()
    body = call.body.model_dump(mode="json", exclude_unset=True) if call.body is not None else None
    return http.build_request(
        call.method, call.url, params=dict(call.query) or None, headers=headers, json=body, content=content
    )


def _named(line: BaseModel) -> BaseModel:
    """The line with an external id, under which a repetition is the same document or query."""
    return line if getattr(line, "external_id", None) else line.model_copy(update={"external_id": str(uuid4())})


def _may_pass(error: BaseException) -> bool:
    """Whether the service asks to wait, or cannot be reached."""
    wait = error.retry_after if isinstance(error, ApiFailure) else None
    return isinstance(error, Unreached) or (wait is not None and wait <= MAX_PAUSE_SECONDS)


def _pause(state: RetryCallState) -> float:
    wait: float | None = getattr(state.outcome and state.outcome.exception(), "retry_after", None)
    return float(FIRST_PAUSE_SECONDS * 2 ** (state.attempt_number - 1)) if wait is None else wait


RETRIES: Mapping[str, Any] = {
    "stop": stop_after_attempt(ATTEMPTS),
    "wait": _pause,
    "retry": retry_if_exception(_may_pass),
    "reraise": True,
}
"""The arguments of `tenacity.Retrying`."""


def model_of(call: Call[Model], response: httpx.Response) -> Model:
    """The content of a response."""
    if call.response is Nothing:
        return call.response()
    return call.response.model_validate_json(response.content)


def lines_of(call: Call[Model], response: httpx.Response) -> list[Model]:
    """The result lines of an import."""
    return [call.response.model_validate_json(line) for line in response.content.splitlines() if line.strip()]


def next_page(call: Call[Model], page: Model) -> Call[Model] | None:
    """The call for the page after this one, if there is one."""
    cursor = getattr(page, "next_cursor", None)
    return None if cursor is None else replace(call, query={**call.query, "cursor": cursor})


class EventReader:
    """Server-sent events of a call, from lines; knows where to resume and when all is said."""

    def __init__(self, call: Call[EventView]) -> None:
        self._call = call
        self._id: str | None = None
        self._name = ""
        self._data: list[str] = []
        self.ended = False

    @property
    def call(self) -> Call[EventView]:
        """The call that goes on after the last event seen."""
        seen = {} if self._id is None else {"Last-Event-ID": self._id}
        return replace(self._call, headers={**self._call.headers, "Accept": "text/event-stream", **seen})

    def events(self, line: str) -> Iterator[EventView]:
        """The event that ends with this line, if one does."""
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "id":
            self._id = value
        elif name == "event":
            self._name = value
        elif name == "data":
            self._data.append(value)
        elif not line and self._data:
            data, self._data = json.loads("\n".join(self._data)), []
            if self._name == "error":
                problem = Problem.model_validate(data)
                raise ApiFailure(problem.detail, problem)
            event = EventView.model_validate(data)
            self.ended = event.kind in ENDED
            yield event


def checked(response: httpx.Response) -> httpx.Response:
    """The response; raises the failure that it tells of."""
    if response.is_success:
        return response
    try:
        problem: Problem | None = Problem.model_validate_json(response.content)
    except ValidationError:
        problem = None
    try:
        retry_after: float | None = float(response.headers["retry-after"])
    except (KeyError, ValueError):
        retry_after = None
    faults = "".join(f" {fault.location}: {fault.message}." for fault in (problem and problem.errors) or [])
    detail = problem.detail + faults if problem else f"The service answers {response.status_code}."
    raise ApiFailure(detail, problem, retry_after)
