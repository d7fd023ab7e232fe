"""More questions than can be answered, writes on one resource at once, and stops under load."""

import asyncio
import itertools
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.drill.service import Promise, Service, question
from benchmarks.harness.service import CORPUS

AT_ONCE = 16
REFUSAL_SECONDS = 1.0
SLOWDOWN = 2.0
STOP_QUESTIONS = 20
GRACE_SECONDS = 25.0
ANSWER_SECONDS = 60.0
STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")
WRITES: tuple[tuple[str, str, dict[str, object] | None], ...] = (
    ("PATCH", "", {"description": "new"}),
    ("DELETE", "", None),
    ("POST", "/documents", {"external_id": "a", "content": "The tower is red."}),
    ("PUT", "/override", {"reliability": 0.5, "reason": "known"}),
    ("PUT", "/rating", {"rating": 0.5, "origin": "a list"}),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """The status of a question, its seconds, and whether it says when to retry."""

    status: int | None
    """None where no connection could be made, 0 where one was cut before its answer."""
    seconds: float
    retry_after: bool = False


async def flood(service: Service, count: int) -> tuple[list[Promise], float]:
    """`count` questions at once after rounds of 16; also returns the ratio of the 99th percentiles of both."""
    numbers = itertools.count(1_000)
    await _ask(service, numbers, AT_ONCE)
    calm = [asked for _ in range(4) for asked in await _ask(service, numbers, AT_ONCE)]
    flooded = await _ask(service, numbers, count)
    accepted = [asked.seconds for asked in flooded if asked.status == 201]
    refused = [asked for asked in flooded if asked.status in {429, 503}]
    ratio = float(np.quantile(accepted, 0.99) / np.quantile([asked.seconds for asked in calm], 0.99))
    slow = sum(asked.seconds > REFUSAL_SECONDS or not asked.retry_after for asked in refused)
    longest = max((asked.seconds for asked in refused), default=0.0)
    promises = [
        Promise("a question is answered or refused, never a fault", count, count - len(accepted) - len(refused)),
        Promise("a refusal comes within 1 s and says when to retry", len(refused), slow, f"{longest:.2f} s"),
        Promise(
            "accepted questions take at most twice as long as of 16 at once (99th percentile)",
            len(accepted),
            int(ratio > SLOWDOWN),
            f"{ratio:.2f} times",
        ),
    ]
    return promises, ratio


async def _ask(service: Service, numbers: Iterator[int], count: int) -> list[Asked]:
    return list(await asyncio.gather(*(_ask_once(service, next(numbers)) for _ in range(count))))


async def _ask_once(service: Service, number: int) -> Asked:
    """One request on a connection of its own; a library for clients takes longer for 200 than the service."""
    host, _, port = service.url.removeprefix("http://").partition(":")
    body = json.dumps({"question": question(number)}).encode()
    head = f"POST {CORPUS}/answers HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    began = time.perf_counter()
    try:
        reader, writer = await asyncio.open_connection(host, int(port))
    except ConnectionError:
        return Asked(None, time.perf_counter() - began)
    try:
        writer.write(head.encode() + body)
        async with asyncio.timeout(ANSWER_SECONDS):
            answer = await reader.read(-1)
    except (ConnectionError, TimeoutError):
        answer = b""
    finally:
        writer.close()
    seconds = time.perf_counter() - began
    header, _, _ = answer.partition(b"\r\n\r\n")
    status = STATUS.match(header)
    return Asked(int(status.group(1)) if status else 0, seconds, b"\r\nretry-after:" in header.lower())


async def races(service: Service, count: int) -> list[Promise]:
    """Two writes on one source at the same time: each is done or refused."""
    faults, worst = 0, ""
    pairs = itertools.cycle(itertools.combinations_with_replacement(WRITES, 2))
    async with service.client() as client:
        for number, pair in zip(range(count), pairs, strict=False):
            made = await client.post(f"{CORPUS}/sources", json={"name": f"race {number}"})
            address = made.headers["location"]
            requests = [client.request(method, f"{address}{below}", json=body) for method, below, body in pair]
            for response in await asyncio.gather(*requests):
                if response.status_code >= 300 and response.status_code not in {404, 409}:
                    faults, worst = faults + 1, f"status {response.status_code}"
    return [Promise("two writes at once are done or refused", count, faults, worst)]


async def stops(service: Service, count: int) -> list[Promise]:
    """SIGTERM under 20 questions: they are answered or refused with 503, and the process ends in its time."""
    faults, late, longest = 0, 0, 0.0
    for stop in range(count):
        numbers = itertools.count(100_000 + stop * STOP_QUESTIONS)
        asking = asyncio.create_task(_ask(service, numbers, STOP_QUESTIONS))
        await asyncio.sleep(0.1)
        seconds = await service.stop()
        faults += sum(asked.status not in {201, 503, None} for asked in await asking)
        longest, late = max(longest, seconds), late + (seconds > GRACE_SECONDS)
        await service.start()
    return [
        Promise(
            "questions under a stop are answered, get 503 or are not taken; none is cut off",
            count * STOP_QUESTIONS,
            faults,
        ),
        Promise("a stop ends within 20 s and the time to close", count, late, f"{longest:.1f} s"),
    ]
