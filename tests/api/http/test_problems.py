"""Every error has a status, and every failure is a problem."""

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

import answering
import api
import estimator
import migrations
import registry
from api.http import problems
from api.http.error_responses import MAX_FAULTS, clean
from estimator.errors import CredenceError
from registry.platform.errors import Conflict, InvalidInput, Unavailable
from tests.api.http.conftest import CORPUS

Problem = Callable[[httpx.Response, int], dict[str, Any]]


# Run as programs, or errors that end a command and are never raised in a request.
NOT_HTTP = ("migrations.env", "migrations.versions", "api.cli", "api.demo")


def every_error() -> Iterator[type[CredenceError]]:
    """All subclasses of the root, of all packages."""
    packages: tuple[ModuleType, ...] = (estimator, answering, registry, migrations, api)
    for package in packages:
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if not module.name.startswith(NOT_HTTP):
                importlib.import_module(module.name)
    waiting = [CredenceError]
    while waiting:
        for subclass in waiting.pop().__subclasses__():
            waiting.append(subclass)
            ours = subclass.__module__.split(".")[0] in {package.__name__ for package in packages}
            if ours and not subclass.__module__.startswith(NOT_HTTP):
                yield subclass


def mapped(error: type[CredenceError]) -> bool:
    return not problems.KIND_OF_ERROR.keys().isdisjoint(error.__mro__)


def test_every_error_is_mapped_to_a_status() -> None:
    errors = set(every_error())
    assert len(errors) > 20
    branches = {error for error in errors if error.__subclasses__() and error.__name__.endswith(("Error",))}
    unmapped = {error.__qualname__ for error in errors - branches if not mapped(error)}
    assert unmapped == set()


def test_an_unmapped_error_is_our_fault() -> None:
    class New(CredenceError):
        pass

    assert not mapped(New)
    assert problems.kind_of(New) is problems.INTERNAL


def test_slugs_are_unique_and_complete() -> None:
    assert len({kind.slug for kind in problems.KINDS}) == len(problems.KINDS)
    assert len(problems.KINDS) == 22


async def test_the_type_of_a_problem_can_be_read(client: httpx.AsyncClient, problem: Problem) -> None:
    for kind in problems.KINDS:
        response = await client.get(kind.type)
        assert response.status_code == 200
        assert response.json()["title"] == kind.title
    problem(await client.get("/problems/nothing"), 404)


async def test_unknown_paths_and_methods(client: httpx.AsyncClient, problem: Problem) -> None:
    assert problem(await client.get("/nowhere"), 404)["instance"] == "/nowhere"
    problem(await client.get("/v1/corpora/"), 404)
    refused = await client.put(f"{CORPUS}/sources", json={})
    problem(refused, 405)
    assert refused.headers["allow"] == "GET, HEAD, OPTIONS, POST"
    problem(await client.get(f"{CORPUS}/estimations/0199f0a2-c4e5-7d3a-8b1c-2d3e4f5a6b7c:cancel"), 405)


async def test_nothing_about_an_unexpected_error_is_told(
    app: FastAPI, client: httpx.AsyncClient, problem: Problem
) -> None:
    @app.get("/broken")
    async def broken() -> None:
        raise RuntimeError("the password is hunter2")

    response = await client.get("/broken", headers={"x-request-id": "mine-1"})
    details = problem(response, 500)
    assert "hunter2" not in response.text
    assert details["request_id"] == "mine-1"


@pytest.mark.parametrize(
    ("error", "status", "headers"),
    [
        (Conflict("in the way", location="/v1/there"), 409, {"location": "/v1/there"}),
        (Unavailable("away"), 503, {"retry-after": "5"}),
        (InvalidInput("bad", field="cursor"), 422, {}),
    ],
)
async def test_errors_bring_their_headers(
    app: FastAPI,
    client: httpx.AsyncClient,
    problem: Problem,
    error: CredenceError,
    status: int,
    headers: dict[str, str],
) -> None:
    @app.get("/raises")
    async def raises() -> None:
        raise error

    response = await client.get("/raises")
    assert problem(response, status)["detail"] == str(error)
    assert headers.items() <= dict(response.headers).items()


async def test_every_wrong_part_is_named_and_none_is_echoed(client: httpx.AsyncClient, problem: Problem) -> None:
    secret = "s3cret" * 1000
    response = await client.post(f"{CORPUS}/sources", json={"external_id": [secret], "surprise": secret})
    details = problem(response, 422)
    assert {fault["location"] for fault in details["errors"]} == {"body.name", "body.external_id", "body.surprise"}
    assert "s3cret" not in response.text


async def test_the_names_of_wrong_parts_are_made_harmless(client: httpx.AsyncClient, problem: Problem) -> None:
    for name in ("k" * 10_000, "\\ud800", "\\u0000", "\\n<b>"):
        body = f'{{"name": "x", "{name}": 1}}'.encode()
        response = await client.post(f"{CORPUS}/sources", content=body, headers={"content-type": "application/json"})
        assert len(problem(response, 422)["errors"]) == 1
        assert len(response.content) < 1000


async def test_only_the_first_wrong_parts_are_listed(client: httpx.AsyncClient, problem: Problem) -> None:
    response = await client.post(f"{CORPUS}/sources", json={f"field{number}": 1 for number in range(1000)})
    details = problem(response, 422)
    assert len(details["errors"]) == MAX_FAULTS
    assert "1001 parts" in details["detail"]


def test_clean_text_can_always_be_sent() -> None:
    assert clean("a\ud800b" + "c" * 10_000).encode() == b"a?b" + b"c" * 497
