"""The Dockerfile, the composition and the chart are linted and rendered, and are as safe as they promise."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]  # it has no types
import pytest
import yaml
from typer.testing import CliRunner

from api.cli.application import app
from api.processes import STOP_SECONDS
from registry.platform import concurrency
from registry.platform.settings import Settings
from tests.tables import for_each

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "api" / "deploy"
BESIDE_PYTHON = str(Path(sys.executable).parent)


def tool(name: str) -> str:
    """A program of a package on PyPI; the test is skipped where it is not installed."""
    path = shutil.which(name, path=BESIDE_PYTHON) or shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def checked(*command: str) -> str:
    """Standard output of a program that must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def composition() -> dict[str, Any]:
    composed: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
    return composed


def rendered(*options: str) -> list[dict[str, Any]]:
    """What `helm template` makes of the chart."""
    text = checked(tool("helm"), "template", "press", str(FOLDER / "chart"), *options)
    return [document for document in yaml.safe_load_all(text) if document]


def pods(documents: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for document in documents:
        if document["kind"] in {"Deployment", "Job"}:
            yield document["spec"]["template"]["spec"]


def test_the_dockerfile_passes_hadolint() -> None:
    checked(tool("hadolint"), str(FOLDER / "Dockerfile"))


def test_what_the_dockerfile_copies_exists_and_is_not_ignored() -> None:
    text = (FOLDER / "Dockerfile").read_text(encoding="utf-8")
    copied = [word for line in re.findall(r"^COPY (?!--from)(.+)$", text, re.MULTILINE) for word in line.split()[:-1]]
    ignored = (FOLDER / "Dockerfile.dockerignore").read_text(encoding="utf-8")
    assert {"api", "pyproject.toml"} <= set(copied)
    for name in copied:
        assert (ROOT / name).exists()
        assert f"!{name}\n" in ignored
    assert "USER 10001:10001" in text


def test_the_composition_keeps_to_its_schema() -> None:
    checked(tool("check-jsonschema"), "--builtin-schema", "vendor.compose-spec", str(FOLDER / "compose.yaml"))


def test_containers_of_the_composition_are_confined() -> None:
    services = composition()["services"]
    for name in ("migrate", "service", "worker"):
        assert services[name]["read_only"]
        assert services[name]["cap_drop"] == ["ALL"]
    assert all(port.startswith("127.0.0.1:") for port in services["service"]["ports"])


def test_a_language_model_can_be_named_to_the_composition() -> None:
    environment = composition()["services"]["service"]["environment"]
    assert {f"CREDENCE_{role}_{part}" for role in ("CHAT", "READER") for part in ("URL", "MODEL", "API_KEY")} <= {
        # Without a value: as it is where compose runs. An empty text would be refused as a URL.
        name
        for name, value in environment.items()
        if value is None
    }
    names = {name.removeprefix("CREDENCE_").lower() for name in environment}
    assert names <= Settings.model_fields.keys()


def test_the_chart_passes_lint() -> None:
    checked(tool("helm"), "lint", "--strict", str(FOLDER / "chart"))


@pytest.mark.parametrize("version", ["1.29", kubernetes_validate.latest_version()])
def test_the_chart_keeps_to_the_schemas_of_kubernetes(version: str) -> None:
    documents = rendered("--set", "worker.autoscaling.enabled=true")
    # KEDA's own kind is none of Kubernetes.
    known = [document for document in documents if document["kind"] != "ScaledObject"]
    assert len(known) == len(documents) - 1
    for document in known:
        kubernetes_validate.validate(document, version, strict=True)


def test_pods_of_the_chart_are_confined_and_stop_in_time() -> None:
    documents = rendered()
    assert sorted(document["kind"] for document in documents) == [
        *("Deployment", "Deployment", "Job", "PodDisruptionBudget", "Service")
    ]
    for pod in pods(documents):
        assert pod["securityContext"]["runAsNonRoot"]
        (container,) = pod["containers"]
        security = container["securityContext"]
        assert security["readOnlyRootFilesystem"]
        assert not security["allowPrivilegeEscalation"]
        if pod.get("restartPolicy") != "Never":
            assert pod["terminationGracePeriodSeconds"] > STOP_SECONDS
            assert {mount["mountPath"] for mount in container["volumeMounts"]} == {"/tmp", "/data"}  # noqa: S108  (of pods)
    for document in documents:
        if document["kind"] == "Deployment":
            labels = document["spec"]["template"]["metadata"]["labels"]
            assert document["spec"]["selector"]["matchLabels"].items() <= labels.items()


def test_the_annotated_scrape_goes_to_the_port_of_metrics_which_the_service_of_kubernetes_hides() -> None:
    documents = {(document["kind"], document["metadata"]["name"]): document for document in rendered()}
    template = documents["Deployment", "press"]["spec"]["template"]
    annotations = template["metadata"]["annotations"]
    (container,) = template["spec"]["containers"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert annotations == {"prometheus.io/scrape": "true", "prometheus.io/port": str(ports["metrics"])}
    assert f"--metrics-port={ports['metrics']}" in container["args"]
    assert ports["metrics"] != ports["http"]
    assert [port["targetPort"] for port in documents["Service", "press"]["spec"]["ports"]] == ["http"]
    without = next(
        document for document in rendered("--set", "service.metricsPort=0") if document["kind"] == "Deployment"
    )
    assert "annotations" not in without["spec"]["template"]["metadata"]


def test_workers_follow_the_queue_if_that_is_asked_for() -> None:
    documents = rendered("--set", "worker.autoscaling.enabled=true", "--set", "settings.CREDENCE_READER=none")
    (scaled,) = [document for document in documents if document["kind"] == "ScaledObject"]
    assert "procrastinate_jobs" in scaled["spec"]["triggers"][0]["metadata"]["query"]
    worker = next(document for document in documents if document["metadata"]["name"] == "press-worker")
    assert "replicas" not in worker["spec"]
    assert all(pod["containers"][0]["env"] == [{"name": "CREDENCE_READER", "value": "none"}] for pod in pods(documents))


def test_commands_of_containers_exist() -> None:
    commands = [service["command"] for service in composition()["services"].values() if "command" in service]
    commands += [pod["containers"][0]["args"] for pod in pods(rendered())]
    for command in commands:
        result = CliRunner().invoke(app, [*command, "--help"])
        assert result.exit_code == 0, command


@for_each(("process", "kinds"), [("service", 1), ("worker", 2)])
def test_the_limits_of_memory_leave_room_for_the_processes_that_take_texts(process: str, kinds: int) -> None:
    """Else a few hostile files at once end the pod, and not only the processes that read them."""
    values = yaml.safe_load((FOLDER / "chart" / "values.yaml").read_text(encoding="utf-8"))[process]["resources"]
    own, limit = (int(values[kind]["memory"].removesuffix("Gi")) * 2**30 for kind in ("requests", "limits"))
    assert limit >= own + kinds * Settings().extraction_processes * concurrency.MAX_MEMORY
