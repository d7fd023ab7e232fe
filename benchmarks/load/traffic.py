"""Questions, imports and dashboards at their rates, each request with its time and its status."""

import asyncio
import itertools
import json
import math
import re
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import numpy as np

from benchmarks.harness import CannotMeasureError
from benchmarks.harness.service import CORPUS, Service, ndjson
from benchmarks.load.chronicle import Chronicle

QUESTION, FOLLOWED, IMPORT, PAGE, EVENTS = "question", "question, followed", "import", "page", "events of a run"
CHANGED, FOLLOWED_SHARE = 0.2, 0.25
"""Shares of the imports that change documents, and of the questions that a worker answers while a page follows."""
QUEUED = {"Prefer": "respond-async"}
BURST = 20
BROWSE_SECONDS = 2.0
RUN_SECONDS = 300.0
ESTIMATIONS = "/corpora/default/estimations"
PAGES = (
    *("/corpora/default/sources", "/corpora/default/answers", "/corpora/default/disputes", "/corpora/default/quality"),
    *("/operations", "/metrics"),
)
RUN = re.compile(rf'href="({ESTIMATIONS}/[0-9a-f-]{{36}})"')
ENDINGS = ("succeeded", "failed", "cancelled")


@dataclass(frozen=True, slots=True)
class Rates:
    """What comes how often."""

    questions: float
    """A minute."""
    documents: float
    """A minute."""
    clients: int
    dashboards: int


@dataclass(frozen=True, slots=True)
class Request:
    """A request, or an event stream from its request to its end."""

    kind: str
    at: float
    """Seconds from the beginning to when it was due."""
    seconds: float
    """From then to the end of its response."""
    status: str
    """Of HTTP, or what went wrong."""
    failed: bool


@dataclass(slots=True)
class Traffic:
    """What is sent, and how it was answered."""

    service: Service
    chronicle: Chronicle
    rates: Rates
    generator: np.random.Generator
    requests: list[Request] = field(default_factory=list)
    right: int = 0
    answered: int = 0
    documents: int = 0
    _began: float = 0.0

    async def prepare(self, towns: int, queries: int) -> None:
        """Documents, queries, a first estimation, a schedule that estimates every minute, and first answers."""
        async with self.service.client() as client:
            for _ in range(towns):
                await self._import(client, self.chronicle.new_town())
            for number in range(queries):
                question, _ = self.chronicle.question(number)
                (await client.post(f"{CORPUS}/queries", json={"text": question})).raise_for_status()
            run = (await client.post(f"{CORPUS}/estimations", json={})).raise_for_status().headers["location"]
            if (status := await _end_of(client, f"{run}/events")) != "succeeded":
                raise CannotMeasureError(f"the first estimation {status}; the logs are in {self.service.log.parent}")
            schedule = {"name": "every minute", "cron": "* * * * *"}
            (await client.post(f"{CORPUS}/schedules", json=schedule)).raise_for_status()
            await self._burst(client)
        self.right = self.answered = self.documents = 0

    async def _burst(self, client: httpx.AsyncClient) -> None:
        """So many questions at once that all connections to the database are open before anything is measured."""
        questions = [self.chronicle.question()[0] for _ in range(BURST)]
        body = [{"question": question} for question in questions]
        answered = (client.post(f"{CORPUS}/answers", json=each) for each in body)
        queued = (client.post(f"{CORPUS}/answers", json=each, headers=QUEUED) for each in body)
        for response in await asyncio.gather(*answered, *queued):
            response.raise_for_status()

    async def run(self, seconds: float) -> None:
        """Everything at the same time, for so long."""
        self._began = time.perf_counter()
        async with AsyncExitStack() as stack, asyncio.TaskGroup() as group:
            clients = [await stack.enter_async_context(self.service.client()) for _ in range(self.rates.clients)]
            importer = await stack.enter_async_context(self.service.client())
            turns = itertools.cycle(clients)
            group.create_task(self._arrive(self.rates.questions, seconds, lambda due: self._question(next(turns), due)))
            imports = self.rates.documents / self.chronicle.source_count
            group.create_task(self._arrive(imports, seconds, lambda due: self._publish(importer, due)))
            for number in range(self.rates.dashboards):
                client = await stack.enter_async_context(self.service.client())
                group.create_task(self._browse(client, number, seconds))
                group.create_task(self._follow_runs(client, seconds))

    async def _arrive(
        self, a_minute: float, seconds: float, send: Callable[[float], Coroutine[Any, Any, None]]
    ) -> None:
        """Requests at random times, as many in every minute, however long those before take."""
        async with asyncio.TaskGroup() as group:
            for minute in range(math.ceil(seconds / 60)):
                # Of a Poisson process the load itself may rise over a run, by chance.
                for due in sorted(60 * (minute + self.generator.random(round(a_minute)))):
                    if due < seconds:
                        await asyncio.sleep(due - self._now())
                        group.create_task(send(due))

    async def _question(self, client: httpx.AsyncClient, due: float) -> None:
        if self.generator.random() < FOLLOWED_SHARE:
            async with self._recorded(FOLLOWED, due) as told:
                response = await client.post(
                    f"{CORPUS}/answers", json={"question": self.chronicle.question()[0]}, headers=QUEUED
                )
                told["status"] = response.status_code
                if response.is_success:
                    told["status"] = await _end_of(client, f"{response.headers['location']}/events")
        else:
            async with self._recorded(QUESTION, due) as told:
                told["status"] = await self._ask(client)

    async def _ask(self, client: httpx.AsyncClient) -> int:
        question, right = self.chronicle.question()
        response = await client.post(f"{CORPUS}/answers", json={"question": question})
        if response.is_success:
            result = response.json()["result"]
            self.answered += 1
            self.right += any(right.casefold() in answer.casefold() for answer in result["answers"])
        return response.status_code

    async def _publish(self, client: httpx.AsyncClient, due: float) -> None:
        changes = self.generator.random() < CHANGED
        async with self._recorded(IMPORT, due) as told:
            told["status"] = await self._import(
                client, self.chronicle.changed_town() if changes else self.chronicle.new_town()
            )

    async def _import(self, client: httpx.AsyncClient, documents: list[dict[str, Any]]) -> int | str:
        response = await client.post(f"{CORPUS}/documents:import", **ndjson(documents))
        if response.is_success:
            results = [json.loads(line) for line in response.text.splitlines()]
            self.documents += len(results)
            if any(result.get("status") not in {"created", "updated", "unchanged"} for result in results):
                return "a line was rejected"
        return response.status_code

    async def _browse(self, client: httpx.AsyncClient, first: int, seconds: float) -> None:
        """Open page after page, each dashboard beginning with another one."""
        for number in itertools.count(first):
            if self._now() >= seconds:
                return
            await self._open(client, PAGES[number % len(PAGES)])
            await asyncio.sleep(BROWSE_SECONDS)

    async def _follow_runs(self, client: httpx.AsyncClient, seconds: float) -> None:
        """Follow the newest run to its end, then wait for the next one, as someone does who looks at the page."""
        followed = ""
        while self._now() < seconds:
            newest = RUN.search(await self._open(client, ESTIMATIONS))
            if newest is not None and newest[1] != followed:
                followed = newest[1]
                async with self._recorded(EVENTS, self._now()) as told:
                    told["status"] = await _end_of(client, f"{followed}/events")
            await asyncio.sleep(BROWSE_SECONDS)

    async def _open(self, client: httpx.AsyncClient, path: str) -> str:
        """The text of a page; empty where it does not come."""
        text = ""
        async with self._recorded(PAGE, self._now()) as told:
            response = await client.get(path)
            told["status"], text = response.status_code, response.text
        return text

    @asynccontextmanager
    async def _recorded(self, kind: str, due: float) -> AsyncIterator[dict[str, Any]]:
        """Record a request whose `status` the block sets."""
        told: dict[str, Any] = {}
        try:
            yield told
        except (httpx.HTTPError, TimeoutError) as error:
            told["status"] = type(error).__name__
        status = told["status"]
        failed = status != "succeeded" if isinstance(status, str) else status >= 400
        self.requests.append(Request(kind, due, self._now() - due, str(status), failed))

    def _now(self) -> float:
        return time.perf_counter() - self._began


async def _end_of(client: httpx.AsyncClient, events: str) -> str:
    """The last event of a stream, which is followed until then; raises `TimeoutError` where it does not come."""
    async with asyncio.timeout(RUN_SECONDS), client.stream("GET", events) as response:
        if not response.is_success:
            return str(response.status_code)
        async for line in response.aiter_lines():
            name, _, value = line.partition(": ")
            if name == "event" and value in ENDINGS:
                return value
    return "stream ended"
