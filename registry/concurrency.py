"""Coroutines run concurrently, with their errors raised as themselves."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any


async def run_concurrently(*coroutines: Coroutine[Any, Any, None]) -> None:
    """Run all coroutines to their end.

    When one fails, the others are cancelled and its error is raised, not the `ExceptionGroup` of `asyncio.TaskGroup`.
    """
    try:
        async with asyncio.TaskGroup() as group:
            for coroutine in coroutines:
                group.create_task(coroutine)
    except BaseExceptionGroup as errors:
        raise _first_error(errors) from errors


@asynccontextmanager
async def in_background(coroutine: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run a coroutine beside the block and cancel it at its end, where its error, if it failed, is raised."""
    task = asyncio.create_task(coroutine)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def _first_error(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    error = errors.exceptions[0]
    return _first_error(error) if isinstance(error, BaseExceptionGroup) else error
