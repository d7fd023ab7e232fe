"""Coroutines run at the same time, with the first error of theirs raised as itself."""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

Result = TypeVar("Result")


async def run_all(coroutines: Sequence[Coroutine[Any, Any, Result]]) -> list[Result]:
    """Their results, in their order.

    When one fails, the others are cancelled and its error is raised, not the `ExceptionGroup` of `asyncio.TaskGroup`.
    """

    async def run() -> list[asyncio.Task[Result]]:
        async with asyncio.TaskGroup() as group:
            return [group.create_task(coroutine) for coroutine in coroutines]

    try:
        # In a task of its own: one in which a group fails stays marked as being cancelled, which the scopes of anyio
        # around it, as of a request, would take for a cancellation of theirs.
        tasks = await asyncio.create_task(run())
    except BaseExceptionGroup as errors:
        raise _first_error(errors) from errors
    finally:
        # Those that were never started, as the task was cancelled before.
        for coroutine in coroutines:
            coroutine.close()
    return [task.result() for task in tasks]


def _first_error(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    error = errors.exceptions[0]
    return _first_error(error) if isinstance(error, BaseExceptionGroup) else error
