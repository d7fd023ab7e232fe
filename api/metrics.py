"""What the service counts about itself, for Prometheus."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy.pool import QueuePool

from api.connection import Connection

# From a look-up by key to a question that is read by a slow model.
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)


class PoolCollector(Collector):
    """The connections to the database, counted when somebody asks."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """The metrics, at this moment."""
        up = GaugeMetricFamily("credence_runtime_open", "1 once the database was found and its schema fits.")
        up.add_metric([], float(self._connection.is_open))
        yield up
        connections = GaugeMetricFamily(
            "credence_database_connections", "Connections of this process to the database.", labels=["state"]
        )
        for state, count in self._counts().items():
            connections.add_metric([state], count)
        yield connections

    def _counts(self) -> dict[str, int]:
        pool = self._connection.runtime.database.engine.pool if self._connection.is_open else None
        if not isinstance(pool, QueuePool):
            return {}
        return {"in_use": pool.checkedout(), "idle": pool.checkedin(), "allowed": pool.size()}


class Metrics:
    """All metrics of one service, in a registry of their own."""

    def __init__(self, connection: Connection) -> None:
        self.registry = CollectorRegistry()
        self.registry.register(PoolCollector(connection))
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
        self.answers = Counter(
            "credence_answers", "Answers that this process gave, by outcome.", ("outcome",), registry=self.registry
        )
