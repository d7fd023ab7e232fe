"""Coroutines run concurrently, with the first error raised as itself."""

import asyncio
from collections.abc import Coroutine
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


def _first_error(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    error = errors.exceptions[0]
    return _first_error(error) if isinstance(error, BaseExceptionGroup) else error
