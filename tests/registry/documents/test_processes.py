"""The text of documents is taken in processes, of which each may end."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace

import pytest

from registry.corpora.model import Corpus
from registry.platform import concurrency
from registry.platform.concurrency import Processes
from registry.runtime import Runtime
from registry.sources.model import Source
from tests.registry.documents.documents import imported, stored


@pytest.fixture
async def processes() -> AsyncIterator[Processes]:
    processes = Processes(2)
    yield processes
    await processes.aclose()


async def test_calls_return_raise_end_and_take_too_long_each_by_itself(processes: Processes) -> None:
    """`os.abort` is a crash, which no handler sees."""
    calls = [
        processes.run(divmod, 7, 2, seconds=60),
        processes.run(os.abort, seconds=60),
        processes.run(time.sleep, 60, seconds=0.01),
        processes.run(int, "seven", seconds=60),
        processes.run(bytearray, 2 * concurrency.MAX_MEMORY, seconds=60),
        *(processes.run(len, "x" * size, seconds=60) for size in (0, 1_000_000)),
    ]
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert [outcomes[0], *outcomes[5:]] == [(3, 1), 0, 1_000_000]
    ended = [BrokenProcessPool, TimeoutError, ValueError, BrokenProcessPool]
    assert [type(outcome) for outcome in outcomes[1:5]] == ended


async def test_a_reply_that_nobody_waits_for_any_more_is_thrown_away(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await processes.run(len, "seven", seconds=60) == 5
    with monkeypatch.context() as patched:
        patched.setattr(concurrency, "_next", lambda _: asyncio.sleep(60))
        with pytest.raises(TimeoutError):
            await processes.run(bytes, 10_000_000, seconds=0.2)
    assert await processes.run(len, "seven", seconds=60) == 5


async def test_a_process_that_was_killed_while_it_was_idle_costs_no_call(processes: Processes) -> None:
    assert await processes.run(len, "seven", seconds=60) == 5
    (idle,) = processes._started
    idle.kill()
    await idle.wait()
    assert await processes.run(len, "seven", seconds=60) == 5


async def test_an_import_is_the_same_by_processes(
    runtime: Runtime, corpus: Corpus, source: Source, processes: Processes
) -> None:
    lines = [
        {"external_id": "a", "content": "# One\n\nThe tower of Esk is red.", "media_type": "text/markdown"},
        {"external_id": "b", "content": "<p>The mill.</p><script>x</script>", "media_type": "text/html"},
        {"external_id": "c", "content": "<p></p>", "media_type": "text/html"},
    ]
    by_processes = await imported(replace(runtime, processes=processes), corpus, source, *lines)
    assert [result.status.value for result in by_processes] == ["created", "created", "rejected"]
    assert "no text" in (by_processes[2].error or "")
    documents = await stored(runtime, source)
    again = [line | {"title": "Changed."} for line in lines]
    assert [result.status.value for result in await imported(runtime, corpus, source, *again)] == [
        *("updated", "updated", "rejected")
    ]
    assert await stored(runtime, source) == documents
