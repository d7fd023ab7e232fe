"""The OpenAPI document is whole, and the service keeps to it whatever it is sent."""

import functools
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import httpx
import pytest

from answering.embedders import Embedder
from api.app import documented_app
from api.http.error_formats import DIFY_PATHS, NEXTCLOUD_PATHS, OPENAI_PATHS
from api.http.problems import KINDS
from registry.platform.addresses import PublicBackend
from registry.platform.settings import Settings
from tests.api.http.conftest import serving
from tests.registry.world import colour_reader

ROOT = Path(__file__).parents[3]
# Cases an operation in the fuzzing and stateful phases, and a scenario in the coverage phase. More find more.
EXAMPLES = os.environ.get("SCHEMATHESIS_EXAMPLES", "1")
# The coverage phase begins with the examples of the document too, one at a time instead of in all combinations; one
# random case of each operation, or one random walk over them, would add little to its scenarios.
PHASES = "coverage" if EXAMPLES == "1" else "examples,coverage,fuzzing,stateful"
OPTIONS = [
    "--checks=all",
    f"--phases={PHASES}",
    f"--max-examples={EXAMPLES}",
    "--workers=1",
    "--request-timeout=60",
    "--continue-on-failure",
    "--generation-deterministic",
    "--generation-allow-x00=false",
    "--no-color",
]
HOOKS = "tests.api.http.schemathesis_hooks"
METHODS = {"get", "put", "post", "patch", "delete"}


@functools.cache
def document_of(*, keys_required: bool) -> dict[str, Any]:
    """The document, which takes a second to make."""
    return documented_app(Settings(require_api_keys=keys_required)).openapi()


@pytest.fixture
def document() -> dict[str, Any]:
    return document_of(keys_required=False)


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            assert method in METHODS
            yield method, path, operation


def test_names_of_schemas_do_not_follow_modules_and_pages_are_no_operations(document: dict[str, Any]) -> None:
    assert document["paths"].keys().isdisjoint({"/corpora", "/sign-in", "/"})
    assert [name for name in document["components"]["schemas"] if "__" in name] == []


def test_every_operation_is_described(document: dict[str, Any]) -> None:
    seen = set()
    for _, path, operation in operations(document):
        assert operation["summary"], path
        assert operation["description"], path
        assert len(operation["tags"]) == 1
        assert operation["operationId"].isidentifier()
        seen.add(operation["operationId"])
        for parameter in operation.get("parameters", []):
            assert "$ref" in parameter or parameter["description"], (path, parameter)
    assert len(seen) == len(list(operations(document)))
    assert {tag["name"] for tag in document["tags"]} == {
        operation["tags"][0] for _, _, operation in operations(document)
    }


def test_every_field_is_described(document: dict[str, Any]) -> None:
    nameless = [
        f"{name}.{field}"
        for name, schema in document["components"]["schemas"].items()
        for field, about in schema.get("properties", {}).items()
        if not (about.get("description") or "$ref" in about)
    ]
    assert nameless == []


def test_every_failure_is_a_problem(document: dict[str, Any]) -> None:
    responses, slugs = document["components"]["responses"], {kind.slug for kind in KINDS}
    for _, path, operation in operations(document):
        assert [status for status in operation["responses"] if status >= "4"] == ["default"]
        failure = responses[operation["responses"]["default"]["$ref"].rpartition("/")[2]]
        is_others = any(paths.match(path) for paths in (OPENAI_PATHS, DIFY_PATHS, NEXTCLOUD_PATHS))
        media_type = "application/json" if is_others else "application/problem+json"
        assert set(failure["content"]) == {media_type}
        assert failure["content"][media_type]["examples"].keys() == slugs


def test_every_operation_says_which_scope_it_needs(document: dict[str, Any]) -> None:
    for _, path, operation in operations(document):
        assert ("Needs the scope `" in operation["description"]) is path.startswith("/v1"), path


async def test_every_example_is_accepted(
    client: httpx.AsyncClient, document: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the order of the document: what a later one needs, an earlier one has made."""
    # The addresses of examples have names that are nobody's.
    monkeypatch.setattr(PublicBackend, "allowed", AsyncMock())
    ids = {"corpus": "default"}
    for method, path, operation in operations(document):
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if content is None:
            assert (
                method in {"get", "delete"}
                or "requestBody" not in operation
                or path.endswith((":import", "/files/", "/loadSources"))
            )
            continue
        for name, example in content.get("examples", {}).items():
            # One at a time: a second one is a conflict while the first is queued.
            if operation["operationId"] in {"start_estimation", "generate_queries"} and name != next(
                iter(content["examples"])
            ):
                continue
            response = await client.request(method, path.format(**ids), json=example["value"])
            assert response.status_code in {200, 201, 202}, (path, name, response.text)
            noun = operation["tags"][0].removesuffix("s").replace("querie", "query").replace("people", "person")
            if response.headers["content-type"] == "application/json":
                made = str(response.json().get("id"))
                ids[f"{noun}_id"] = made if noun == "key" else ids.get(f"{noun}_id", made)


def test_keys_are_optional_only_where_they_are_off() -> None:
    for required in (True, False):
        document = document_of(keys_required=required)
        ways = document["paths"]["/v1/corpora"]["get"]["security"]
        assert ({} in ways) is not required
        assert "security" not in document["paths"]["/livez"]["get"]


@pytest.mark.timeout(600)
def test_the_service_keeps_to_its_document(settings: Settings, embedder: Embedder, tmp_path: Path) -> None:
    """schemathesis asks everything in every way; hooks beside this file know what a schema cannot say."""
    with serving(settings, colour_reader(), embedder) as url:
        # Made once, by then kept: schemathesis gives it ten seconds, which a busy machine may exceed.
        assert httpx.get(f"{url}/openapi.json", timeout=120).is_success
        command = [sys.executable, "-m", "schemathesis.cli", "run", f"{url}/openapi.json", *OPTIONS]
        environment = os.environ | {
            "SCHEMATHESIS_EXAMPLES": EXAMPLES,
            "SCHEMATHESIS_HOOKS": HOOKS,
            "PYTHONPATH": str(ROOT),
        }
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    tested = re.search(r"Tested: (\d+)", done.stdout)
    assert tested is not None
    assert int(tested[1]) >= 50
