"""The verdict of the benchmark of load: what grows beyond chance, and beyond what nobody minds."""

import numpy as np
import pytest

from benchmarks.load.processes import Sample
from benchmarks.load.traffic import QUESTION, Request
from benchmarks.load.trends import Trend, trends

SECONDS = 600.0


def run(
    *,
    leak: float,
    slowdown: float = 0.0,
    seconds: float = SECONDS,
    connections: float = 0.0,
    most: int = 30,
    clients: float = 0.0,
    left_open: int = 0,
) -> dict[str, Trend]:
    """The trends of a run.

    In an hour the service leaks so many MiB, so many connections are opened to the database, and so many by clients;
    questions take so much longer every second.
    """
    generator = np.random.default_rng(1)
    moments = np.arange(0, seconds, 2.0)
    noise = generator.normal(0, 0.2, moments.size)
    samples = [
        Sample(
            float(at),
            400 + leak * float(at) / 3600 + float(extra),
            300,
            100,
            20,
            20 + int(connections * at / 3600),
            8 + int(clients * at / 3600),
            0,
            0,
        )
        for at, extra in zip(moments, noise, strict=True)
    ]
    asked = [
        Request(QUESTION, float(at), 0.5 + slowdown * float(at) + float(extra) / 4, "201", failed=False)
        for at, extra in zip(moments, noise, strict=True)
    ]
    return {trend.name: trend for trend in trends(seconds, samples, asked, most_connections=most, left_open=left_open)}


def test_a_leak_grows_and_noise_or_a_little_does_not() -> None:
    leaking = run(leak=600)
    assert {name for name, trend in leaking.items() if trend.grows} == {"memory of the service"}
    assert leaking["memory of the service"].hourly.mean == pytest.approx(600, rel=0.1)
    assert not any(trend.grows for trend in run(leak=0).values())
    a_little = run(leak=60)["memory of the service"]
    assert a_little.hourly.mean > a_little.hourly.half_width
    assert not a_little.grows
    assert run(leak=0, slowdown=0.001)["time of a question, p50"].grows


def test_connections_do_not_grow_within_their_limit() -> None:
    assert not run(leak=0, connections=60)["connections to PostgreSQL"].grows
    assert run(leak=0, connections=60, most=25)["connections to PostgreSQL"].grows
    assert not run(leak=0, clients=60)["connections of clients"].grows
    assert run(leak=0, left_open=1)["connections of clients"].grows
