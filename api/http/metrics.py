"""The metrics of the service, for Prometheus, also at a port of their own that needs no API key."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict

import structlog
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from api.http.error_responses import respond
from estimator.errors import CredenceError
from registry.answers.result_schemas import AnswerResult
from registry.corpora.store import alarms
from registry.disputes.store import contradiction_count
from registry.estimations.store import ReadingTotals, reading_totals, status_counts
from registry.jobs.kinds import KINDS
from registry.passages.store.index_maintenance import indexed_partitions
from registry.platform.database.job_queue import STATES, JobCount, job_counts
from registry.runtime import Runtime

log = structlog.get_logger(__name__)

# Seconds, from a look-up by key to a question that is read by a slow model.
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)


class StateCollector(Collector):
    """Metrics that are looked up when they are collected: connections to the database, and totals stored in it."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self.readings = ReadingTotals()
        self.alarms: dict[str, int] = {}
        self.runs: dict[str, int] = {}
        self.jobs: list[JobCount] = []
        self.indexed_partitions = 0
        self.contradictions = 0

    async def refresh(self) -> None:
        """Look up the totals; while the database is unavailable the last ones stay."""
        try:
            async with self._runtime.database.begin() as session:
                self.readings = await reading_totals(session)
                self.alarms = await alarms(session)
                self.runs = await status_counts(session)
                self.jobs = await job_counts(session)
                self.contradictions = await contradiction_count(session)
                self.indexed_partitions = await indexed_partitions(session)
        except CredenceError as error:
            log.warning("metrics_not_refreshed", why=error)

    def collect(self) -> Iterator[Metric]:
        connections = self._runtime.database.connection_counts()
        readings = CounterMetricFamily(
            "credence_estimation_readings", "Readings of all estimations, by where they came from.", labels=["origin"]
        )
        for origin, count in asdict(self.readings).items():
            readings.add_metric([origin], count)
        yield readings
        yield _gauge("database_connections", "Connections of this process to the database.", "state", connections)
        about = "Active sources whose reliability has changed by the current estimation, without an override."
        yield _gauge("sources_turned", about, "corpus", self.alarms)
        yield _gauge("estimations", "Estimations of all corpora, by status.", "status", self.runs)
        about = "Contradictions that were found when documents came in, of documents that are still there."
        yield GaugeMetricFamily("credence_document_contradictions", about, self.contradictions)
        about = "Partitions of the passages, of 16, with an index of embeddings."
        yield GaugeMetricFamily("credence_vector_index_partitions", about, self.indexed_partitions)
        yield from (*self._jobs(), *self._embedded(), *self._replica())

    def _jobs(self) -> Iterator[Metric]:
        labels = ["kind", "state"]
        about = "Jobs of all processes that are waiting, running or failed."
        counts = GaugeMetricFamily("credence_jobs", about, labels=labels)
        ages = GaugeMetricFamily("credence_oldest_job_seconds", "Since the oldest of these was queued.", labels=labels)
        present = {(count.name, count.state): count for count in self.jobs}
        for kind in KINDS:
            for state in STATES.values():
                count = present.get((kind.job.name, state), JobCount(kind.job.name, state, 0, 0))
                counts.add_metric([count.name, state], count.jobs)
                ages.add_metric([count.name, state], count.oldest_seconds)
        yield from (counts, ages)

    def _embedded(self) -> Iterator[Metric]:
        supervisor = self._runtime.supervisor
        if supervisor is not None:
            yield GaugeMetricFamily("credence_embedded_postgres_up", "1 while it runs.", float(supervisor.is_up))
            yield CounterMetricFamily(
                "credence_embedded_postgres_restarts", "How often this process restarted it.", supervisor.restarts
            )

    def _replica(self) -> Iterator[Metric]:
        replica = self._runtime.database.replica
        if replica is None:
            return
        yield GaugeMetricFamily(
            "credence_replica_in_use",
            "1 while the replica answers and is not too far behind.",
            float(replica.is_in_use),
        )
        if replica.lag_seconds is not None:
            yield GaugeMetricFamily(
                "credence_replica_lag_seconds",
                "The replica holds what was committed longer ago than this; at most a second of it is the time between"
                " two checks.",
                replica.lag_seconds,
            )
        reads = CounterMetricFamily(
            "credence_replica_reads",
            "Look-ups that the replica may do, by the server that did them.",
            labels=["server"],
        )
        for server, count in replica.reads.items():
            reads.add_metric([server], count)
        yield reads


def _gauge(name: str, about: str, label: str, values: Mapping[str, float]) -> Metric:
    gauge = GaugeMetricFamily(f"credence_{name}", about, labels=[label])
    for value, number in values.items():
        gauge.add_metric([value], number)
    return gauge


class Metrics:
    """All metrics of one service, in a registry of their own."""

    def __init__(self, runtime: Runtime) -> None:
        self.registry = CollectorRegistry()
        self._state = StateCollector(runtime)
        self.registry.register(self._state)
        self.requests = Histogram(
            "credence_http_request_seconds",
            "Time from the request to the end of the response.",
            ("method", "route", "status"),
            registry=self.registry,
            buckets=_BUCKETS,
        )
        self.in_flight = Gauge("credence_http_requests_in_flight", "Requests not yet answered.", registry=self.registry)
        self.readings = Counter(
            "credence_readings",
            "Readings spent on answers that this process gave, by where they came from.",
            ("origin",),
            registry=self.registry,
        )
        self.failures = Counter(
            "credence_failures", "Requests that failed, by kind of problem.", ("kind",), registry=self.registry
        )
        self.answers = Counter(
            "credence_answers", "Answers that this process gave, by outcome.", ("outcome",), registry=self.registry
        )

    def count_answer(self, result: AnswerResult) -> None:
        self.answers.labels(result.outcome).inc()
        self.readings.labels("cached").inc(result.usage.readings_cached)
        self.readings.labels("made").inc(result.usage.readings - result.usage.readings_cached)

    async def text(self) -> bytes:
        """All metrics in the exposition format of Prometheus."""
        await self._state.refresh()
        return generate_latest(self.registry)


class MetricsPort:
    """Answers `GET /metrics` without an API key, and nothing else, where a request came in at this port."""

    def __init__(self, app: ASGIApp, port: int, metrics: Metrics) -> None:
        self.app = app
        self._port = port
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # The port of the socket, not of the header Host, which a client may write.
        if scope["type"] != "http" or scope["server"][1] != self._port:
            await self.app(scope, receive, send)
        elif (scope["method"], scope["path"]) == ("GET", "/metrics"):
            response = Response(await self._metrics.text(), media_type=CONTENT_TYPE_LATEST)
            await response(scope, receive, send)
        else:
            await respond(HTTPException(404), scope)(scope, receive, send)
