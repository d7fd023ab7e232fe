"""The service as processes of its own, and what is sent to it."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import psutil

from benchmarks.harness.report import CannotMeasureError

CORPUS = "/v1/corpora/default"
READY_SECONDS = 60.0


class Service:
    """`credence serve`, always at the same address."""

    def __init__(self, log: Path, settings: Mapping[str, str], *options: str) -> None:
        self.log = log
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.environment = os.environ | settings
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def process_id(self) -> int:
        """The service's own process."""
        assert self._process is not None  # noqa: S101  (it was started)
        return self._process.pid

    async def start(self) -> float:
        """Start it and wait until it is ready; returns the seconds that took."""
        command = ["serve", *self._options, "--port", str(self.port)]
        self._process = start_process(command, self.environment, self.log)
        return await self.until_ready()

    async def until_ready(self) -> float:
        """Wait for `/readyz`; returns the seconds that took. Raises `CannotMeasureError` where it never comes."""
        began = time.perf_counter()
        async with self.client() as client:
            while time.perf_counter() - began < READY_SECONDS:
                with contextlib.suppress(httpx.TransportError):
                    if (await client.get("/readyz")).status_code == 200:
                        return time.perf_counter() - began
                await asyncio.sleep(0.05)
        raise CannotMeasureError(f"the service was not ready after {READY_SECONDS:.0f} s; its log is {self.log}")

    async def stop(self, number: int = signal.SIGTERM) -> float:
        """Send a signal and wait for the end; returns the seconds that took."""
        assert self._process is not None  # noqa: S101  (it was started)
        began = time.perf_counter()
        self._process.send_signal(number)
        await asyncio.to_thread(self._process.wait, READY_SECONDS)
        return time.perf_counter() - began

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[psutil.Process]:
        """Its process, ready, for the duration of the block."""
        try:
            await self.start()
            yield psutil.Process(self.process_id)
        finally:
            await self.stop()

    def client(self) -> httpx.AsyncClient:
        """A client of it that opens as many connections as it wants."""
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
        return httpx.AsyncClient(base_url=self.url, timeout=READY_SECONDS, limits=limits)


def credence() -> list[str]:
    """The command of this installation."""
    return [str(Path(sys.executable).with_name("credence"))]


def start_process(arguments: list[str], environment: Mapping[str, str], log: Path) -> subprocess.Popen[bytes]:
    """A process of the command line, which writes into a log."""
    with log.open("ab") as output:
        return subprocess.Popen([*credence(), *arguments], env=environment, stdout=output, stderr=output)


def ndjson(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """The arguments of a request with these lines."""
    content = "\n".join(map(json.dumps, lines))
    return {"content": content.encode(), "headers": {"Content-Type": "application/x-ndjson"}}


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
