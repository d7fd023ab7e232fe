"""Coroutines run concurrently, with their errors raised as themselves, and functions in processes of their own."""

import asyncio
import os
import pickle
import resource
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures.process import BrokenProcessPool
from contextlib import asynccontextmanager, suppress
from typing import Any, BinaryIO, Protocol, TypeVar

from answering.concurrency import run_all

Result = TypeVar("Result")
First = TypeVar("First")
Second = TypeVar("Second")
LENGTH_BYTES = 8
# To be ready, before it has imported what it is asked for.
START_SECONDS = 30.0
# Of address space: what a page that is made for it fills is that of its process, and no more.
MAX_MEMORY = 2 * 2**30
# What a process sends is in the memory of this one before it is looked at.
MAX_REPLY_BYTES = 128 * 2**20


async def run_concurrently(*coroutines: Coroutine[Any, Any, None]) -> None:
    """Run all coroutines to their end; errors as of `run_all`."""
    await run_all(coroutines)


async def both(first: Coroutine[Any, Any, First], second: Coroutine[Any, Any, Second]) -> tuple[First, Second]:
    """The results of two coroutines that run at the same time; errors as of `run_all`."""
    results: list[Any] = await run_all([first, second])
    return results[0], results[1]


@asynccontextmanager
async def in_background(coroutine: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run a coroutine beside the block and cancel it at its end, where its error, if it failed, is raised."""
    task = asyncio.create_task(coroutine)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})
        if not task.cancelled():
            task.result()


class BackgroundSlots:
    """Slots of a semaphore for background work, which never has the last one, nor a place in the queue beyond those.

    A question would else wait until hundreds of readings of an estimation that were asked for before it are made.
    """

    def __init__(self, slots: asyncio.Semaphore, count: int) -> None:
        self._slots = slots
        self._background = asyncio.Semaphore(max(1, count - 1))

    async def __aenter__(self) -> None:
        await self._background.acquire()
        try:
            await self._slots.acquire()
        except BaseException:
            self._background.release()
            raise

    async def __aexit__(self, *_: object) -> None:
        self._slots.release()
        self._background.release()


class Run(Protocol):
    """Runs a function in a process, as `Processes.run` does."""

    def __call__(
        self, function: Callable[..., Result], *arguments: object, seconds: float
    ) -> Coroutine[Any, Any, Result]: ...


class Processes:
    """Processes that run functions of modules, each one at a time; they start when they are first needed.

    A process that ends, or is killed because its function takes too long, harms no other call and is replaced. Unlike
    those of `concurrent.futures`, which gives up all calls then, and cannot stop one.
    """

    def __init__(self, count: int) -> None:
        self._started: set[asyncio.subprocess.Process] = set()
        self._idle: asyncio.LifoQueue[asyncio.subprocess.Process | None] = asyncio.LifoQueue()
        for _ in range(count):
            self._idle.put_nowait(None)

    async def run(self, function: Callable[..., Result], *arguments: object, seconds: float) -> Result:
        """Call the function in a process and return or raise its result, which must be picklable.

        Raises `TimeoutError` after so many seconds, not counted those until a process is free, `BrokenProcessPool` if
        the process ends, and `ChildProcessError` if none can be started.
        """
        async with self.held() as run:
            return await run(function, *arguments, seconds=seconds)

    @asynccontextmanager
    async def held(self) -> AsyncIterator["Run"]:
        """A process for the duration of the block, as a function that is called as `run` is: what one call leaves in
        the variables of its modules the next one finds, unless a call ended the process.
        """
        process = await self._idle.get()

        async def run(function: Callable[..., Result], *arguments: object, seconds: float) -> Result:
            nonlocal process
            if process is not None and process.returncode is not None:  # it was killed while it was idle
                await self._end(process)
                process = None
            process = process or await self._start()
            try:
                async with asyncio.timeout(seconds):
                    succeeded, outcome = await _call(process, (function, arguments))
            except BaseException:
                # What it would yet reply is no reply to the next call.
                await self._end(process)
                process = None
                raise
            if not succeeded:
                raise outcome
            result: Result = outcome
            return result

        try:
            yield run
        finally:
            self._idle.put_nowait(process)

    async def aclose(self) -> None:
        """End all processes, whatever they do."""
        for process in list(self._started):
            await self._end(process)

    async def _start(self) -> asyncio.subprocess.Process:
        # Its errors may repeat what it works on, so that nobody reads them; in a session of its own it gets no Ctrl-C.
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", __name__),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                start_new_session=True,
                # asyncio does not notice the end of a process while more than this is unread.
                limit=sys.maxsize,
            )
            self._started.add(process)
            try:
                async with asyncio.timeout(START_SECONDS):
                    await _next(process)
            except BaseException:
                await self._end(process)
                raise
        except (OSError, BrokenProcessPool) as error:
            raise ChildProcessError("No further process could be started; is there memory for one?") from error
        return process

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        self._started.discard(process)
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _call(process: asyncio.subprocess.Process, call: object) -> tuple[bool, Any]:
    assert process.stdin is not None  # noqa: S101  (it was started with pipes)
    with suppress(ConnectionError):  # then there is no reply either
        process.stdin.write(_packed(call))
        await process.stdin.drain()
    reply: tuple[bool, Any] = pickle.loads(await _next(process))  # noqa: S301  (our own process)
    return reply


async def _next(process: asyncio.subprocess.Process) -> bytes:
    """The next message of a process; raises `BrokenProcessPool`."""
    assert process.stdout is not None  # noqa: S101  (it was started with pipes)
    try:
        length = int.from_bytes(await process.stdout.readexactly(LENGTH_BYTES))
        return await process.stdout.readexactly(length)
    except asyncio.IncompleteReadError as error:
        raise BrokenProcessPool("The process that worked on it ended.") from error


def _packed(value: object) -> bytes:
    return _message(pickle.dumps(value))


def _message(content: bytes) -> bytes:
    return len(content).to_bytes(LENGTH_BYTES) + content


def answer_calls(calls: BinaryIO, replies: BinaryIO) -> None:
    """Bound the memory of this process, say that it is ready, then run the functions that are sent, while some come.

    It ends with a function that needs more memory, or replies with more than `MAX_REPLY_BYTES`.
    """
    with suppress(ValueError, OSError):  # macOS refuses it
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    replies.write(_message(b""))
    replies.flush()
    while length := int.from_bytes(calls.read(LENGTH_BYTES)):
        function, arguments = pickle.loads(calls.read(length))  # noqa: S301  (of the process that started this one)
        try:
            reply = True, function(*arguments)
        except MemoryError:
            # Its process ends with it, and leaves the memory to others.
            return
        except Exception as error:  # noqa: BLE001  (whatever it is, it is raised where the function was called)
            reply = False, error
        packed = _packed(reply)
        if len(packed) > MAX_REPLY_BYTES:
            return
        replies.write(packed)
        replies.flush()


if __name__ == "__main__":
    with os.fdopen(os.dup(1), "wb") as stdout:
        # What a library prints is no reply.
        os.dup2(2, 1)
        answer_calls(sys.stdin.buffer, stdout)
