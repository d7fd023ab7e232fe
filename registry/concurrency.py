"""Several coroutines at once, whose first error is raised as what it is."""

import asyncio
from collections.abc import Coroutine
from typing import Any


async def all_of(*work: Coroutine[Any, Any, None]) -> None:
    """Run all to the end; when one fails the others are cancelled, and its error, not a group of errors, is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            for one in work:
                group.create_task(one)
    except BaseExceptionGroup as errors:
        raise _first(errors) from errors


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    inner = errors.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner
