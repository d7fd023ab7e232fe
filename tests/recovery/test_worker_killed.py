"""Two workers read a run, and one gets `kill -9` in the middle: the other one finishes it and reads nothing twice.

The one that is killed is a process of its own, the other one works in this process. They share the database alone.
"""

import contextlib
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import text
from sqlalchemy.engine import URL

from answering.readers import ReaderKind
from registry.corpora.model import Corpus
from registry.estimations import service as estimation
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import EstimationParameters
from registry.jobs.worker import CONCURRENCY as QUEUES
from registry.platform.database.engine import libpq_url
from registry.platform.enums import RunStatus, Trigger
from registry.platform.providers import build_chat, build_reader
from registry.runtime import Runtime
from tests.eventually import eventually
from tests.fakes.openai_server import FakeOpenAIServer, Reply, slow
from tests.registry.working import working
from tests.registry.world import STATEMENT, TOWERS, build, honest, liar

CONCURRENCY = 2
WORKERS = text("SELECT count(*) FROM procrastinate.procrastinate_workers")


def colour(body: dict[str, Any]) -> Reply:
    """Reads as `colour_reader` does, over HTTP."""
    prompt = body["messages"][-1]["content"]
    asked = re.search(r"tower of (\w+) painted\?", prompt)
    colours = dict(STATEMENT.findall(prompt))
    return slow(colours.get(asked.group(1), "IDK") if asked else "IDK", 0.1)


@contextlib.contextmanager
def worker(url: URL, model_url: str, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    environment = os.environ | {
        "DATABASE_URL": libpq_url(url),
        "CREDENCE_READER": "openai",
        "CREDENCE_READER_URL": model_url,
        "CREDENCE_READER_MODEL": "fake",
        "CREDENCE_READER_API_KEY": "killed",
        "CREDENCE_READER_CONCURRENCY": str(CONCURRENCY),
        "CREDENCE_JOB_HEARTBEAT_SECONDS": "0.5",
    }
    with log.open("ab") as output:
        process = subprocess.Popen(
            [str(Path(sys.executable).with_name("credence")), "worker"], env=environment, stdout=output, stderr=output
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait(60)


@contextlib.asynccontextmanager
async def other_worker(runtime: Runtime, model_url: str) -> AsyncIterator[None]:
    """A worker in this process, with the same reader."""
    values: dict[str, Any] = {"reader": ReaderKind("openai"), "reader_url": model_url, "reader_model": "fake"}
    values |= {"reader_api_key": SecretStr("other"), "reader_concurrency": CONCURRENCY}
    settings = runtime.settings.model_copy(update=values)
    reader, chat = build_reader(settings), build_chat(settings)
    assert reader is not None
    assert chat is not None
    here = replace(runtime, settings=settings, reader=reader, chat=chat)
    async with contextlib.aclosing(reader), contextlib.aclosing(chat), working(here):
        yield


async def status(runtime: Runtime, corpus: Corpus, run: EstimationRun) -> RunStatus:
    async with runtime.database.begin() as session:
        return RunStatus((await estimations.get(session, corpus, run.id)).status)


@pytest.mark.timeout(400)
async def test_the_other_worker_finishes_the_run(
    runtime: Runtime, corpus: Corpus, database_url: URL, tmp_path: Path
) -> None:
    log = tmp_path / "worker.log"
    stated = {"herald": honest(), "gazette": honest(), "times": honest(), "rumour": liar("Brin", "Corvo")}
    await build(runtime, corpus, stated, TOWERS)

    async def both_wait() -> bool:
        """Each of them listens to every queue."""
        async with runtime.database.begin() as session:
            return bool(await session.scalar(WORKERS) == 2 * len(QUEUES))

    async def ended() -> bool:
        return (await status(runtime, corpus, queued)).ended

    with FakeOpenAIServer() as model:
        model.chat = colour

        def readings_by(key: str) -> int:
            return sum(request.headers.get("authorization") == f"Bearer {key}" for request in model.requests)

        async with other_worker(runtime, model.url):
            with worker(database_url, model.url, log):
                await eventually(both_wait, seconds=150)
                queued = await estimation.start(runtime, corpus, EstimationParameters(), Trigger.COMMAND)
                await eventually(lambda: min(readings_by("killed"), readings_by("other")) >= 3, seconds=150)
            await eventually(ended, seconds=150)
        asked = Counter(
            request.body["messages"][-1]["content"] for request in model.requests if "messages" in request.body
        )
    assert await status(runtime, corpus, queued) is RunStatus.SUCCEEDED, log.read_text()
    assert len(asked) == 4 * len(TOWERS)
    # Twice at most those that were being read when the worker died.
    assert asked.total() - len(asked) <= CONCURRENCY
    async with runtime.database.begin() as session:
        reliabilities = {row.source_name: row.reliability for row in await estimations.sources_of(session, queued)}
    assert reliabilities["Herald"] > 0.7
    assert reliabilities["Rumour"] < reliabilities["Herald"]
