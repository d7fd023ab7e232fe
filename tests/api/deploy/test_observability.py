"""The dashboard and the alerts ask for metrics that the service has, with labels and states that it has."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from api.app import create_app
from api.http.problems import KINDS
from registry.platform.database import embedded
from registry.platform.database.supervisor import Supervisor
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS, client_of

FOLDER = Path(__file__).parents[3] / "api" / "deploy" / "observability"
SAMPLES = re.compile(r"\b(credence_\w+)(?:\{([^}]*)\})?")
BY = re.compile(r"by \(([^)]*)\)")


def expressions() -> Iterator[str]:
    dashboard = json.loads((FOLDER / "dashboard.json").read_text(encoding="utf-8"))
    for panel in dashboard["panels"]:
        yield from (target["expr"] for target in panel["targets"])
    for group in yaml.safe_load((FOLDER / "alerts.yaml").read_text(encoding="utf-8"))["groups"]:
        yield from (rule["expr"] for rule in group["rules"])


@pytest.fixture
async def exported(runtime: Runtime, tmp_path: Path) -> dict[str, set[str]]:
    """The names of all samples with the names of their labels."""
    supervised = replace(runtime, supervisor=Supervisor(embedded.server_of(tmp_path)))
    async with client_of(create_app(runtime.settings, runtime=supervised)) as client:
        await client.get(f"{CORPUS}/sources/nobody")
        await client.post(f"{CORPUS}/answers", json={"question": "Where?"})
        text = (await client.get("/metrics")).text
    labels: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(text):
        names = {family.name, f"{family.name}_total"} if family.type == "counter" else {family.name}
        for name in names:
            labels.setdefault(name, set())
        for sample in family.samples:
            labels.setdefault(sample.name, set()).update(sample.labels)
    return labels


async def test_every_metric_that_is_asked_for_is_exported(exported: dict[str, set[str]]) -> None:
    asked = [match for expression in expressions() for match in SAMPLES.findall(expression)]
    assert len(asked) > 20
    assert {name for name, _ in asked} <= exported.keys()
    for name, selector in asked:
        for label in re.findall(r"(\w+)=", selector):
            assert label in exported[name] or not exported[name], (name, label)
    added_by_prometheus, rare = {"instance"}, {"outcome", "corpus", "origin"}
    grouped = {
        label.strip() for expression in expressions() for by in BY.findall(expression) for label in by.split(",")
    }
    assert grouped <= set().union(*exported.values()) | added_by_prometheus | rare


def test_kinds_of_problems_that_alerts_name_exist() -> None:
    slugs = {kind.slug for kind in KINDS}
    named = {kind for expression in expressions() for kind in re.findall(r'kind=~?"([^"]+)"', expression)}
    assert named
    for kind in named:
        assert any(re.fullmatch(kind, slug) for slug in slugs), kind


async def test_jobs_failures_and_runs_are_counted(runtime: Runtime) -> None:
    async with client_of(create_app(runtime.settings, runtime=runtime)) as client:
        asked, later = {"question": "Where?"}, {"Prefer": "respond-async"}
        assert (await client.post(f"{CORPUS}/answers", json=asked, headers=later)).status_code == 202
        await client.get("/v1/corpora/nowhere")
        text = (await client.get("/metrics")).text
    assert 'credence_jobs{kind="answer",state="waiting"} 1.0' in text
    assert 'credence_jobs{kind="estimate",state="failed"} 0.0' in text
    assert 'credence_failures_total{kind="not-found"} 1.0' in text
    assert 'credence_estimations{status="succeeded"} 0.0' in text
    age = re.search(r'credence_oldest_job_seconds\{kind="answer",state="waiting"\} (\S+)', text)
    assert age is not None
    assert 0 < float(age[1]) < 60
