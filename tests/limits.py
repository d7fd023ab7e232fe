"""A pytest plugin that keeps every test, every fixture and the whole run within limits of time.

pytest-timeout alone cannot: it raises inside the event loop, where the test's task goes on and the tear-down of its
fixtures waits for it. Three limits follow from the option `timeout` (or `@pytest.mark.timeout`) of pytest-timeout:

- an async test, and the set-up and tear-down of an async fixture, is cancelled after 0.9 of it;
- pytest-timeout itself then only ends tests that are not async;
- a process in which a test, with its set-up and tear-down, takes three times as long prints the stacks of its threads
  and exits. pytest-xdist reports the test that ran as failed and goes on with another worker.

The process that was started ends in the same way after 1.2 of the option `session_timeout`. Nothing applies with
`--timeout 0`, for debuggers.
"""

import asyncio
import contextlib
import faulthandler
import functools
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from inspect import isasyncgenfunction, iscoroutinefunction
from typing import Any

import pytest

FINISH_SECONDS = 120.0
STDERR = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    # The standard error of the process, which pytest replaces while a test runs; open until the process ends.
    config.stash[STDERR] = os.dup(2)


def pytest_sessionstart(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        _exit_after(1.2 * float(session.config.getini("session_timeout") or 0), session.config)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """From here on the process must end: this limit is never lifted."""
    _exit_after(FINISH_SECONDS, session.config)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    # Once a test, not once a phase: it starts and ends a thread.
    _exit_after(3 * _limit(item), item.config)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Bound an async test; of one that Hypothesis runs, each example."""
    __tracebackhide__ = True
    function, limit = pyfuncitem.obj, 0.9 * _limit(pyfuncitem)
    hypothesis = getattr(function, "hypothesis", None)
    if not limit:
        return (yield)
    if hypothesis is not None and iscoroutinefunction(hypothesis.inner_test):
        hypothesis.inner_test = _bounded(hypothesis.inner_test, limit)
    elif iscoroutinefunction(function):
        pyfuncitem.obj = _bounded(function, limit)
    try:
        return (yield)
    finally:
        pyfuncitem.obj = function


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    """Bound the set-up and the tear-down of an async fixture."""
    __tracebackhide__ = True
    function, limit = fixturedef.func, 0.9 * _default_limit(request.config)
    if limit and isasyncgenfunction(function):
        _replace(fixturedef, _bounded_generator(function, limit))
    elif limit and iscoroutinefunction(function):
        _replace(fixturedef, _bounded(function, limit))
    try:
        return (yield)
    finally:
        _replace(fixturedef, function)


def _replace(fixturedef: pytest.FixtureDef[Any], function: Callable[..., Any]) -> None:
    fixturedef.func = function  # type: ignore[misc]  # as the plugin of anyio replaces it


def _bounded(function: Callable[..., Awaitable[Any]], limit: float) -> Callable[..., Awaitable[Any]]:
    @functools.wraps(function)
    async def bounded(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (whatever the function takes and returns)
        __tracebackhide__ = True
        async with _within(limit):
            return await function(*args, **kwargs)

    return bounded


def _bounded_generator(function: Callable[..., Any], limit: float) -> Callable[..., AsyncIterator[Any]]:
    @functools.wraps(function)
    async def bounded(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:  # noqa: ANN401
        __tracebackhide__ = True
        steps = function(*args, **kwargs)
        async with _within(limit):
            value = await anext(steps)
        yield value
        async with _within(limit):
            await anext(steps, None)

    return bounded


@contextlib.asynccontextmanager
async def _within(limit: float) -> AsyncIterator[None]:
    """Cancel the block after so many seconds, and fail the test."""
    __tracebackhide__ = True
    timeout = asyncio.timeout(limit)
    try:
        async with timeout:
            yield
    except TimeoutError:
        if timeout.expired():
            pytest.fail(f"Cancelled: still running after {limit:g} seconds.")
        raise


def _limit(item: pytest.Item) -> float:
    marker = item.get_closest_marker("timeout")
    return float(marker.args[0]) if marker else _default_limit(item.config)


def _default_limit(config: pytest.Config) -> float:
    """Seconds; the option of the command line wins."""
    option = config.getoption("timeout")
    return float(config.getini("timeout") or 0 if option is None else option)


def _exit_after(seconds: float, config: pytest.Config) -> None:
    """Print the stacks and exit after so many seconds, unless this is called again before; 0 is never."""
    faulthandler.cancel_dump_traceback_later()
    if seconds:
        faulthandler.dump_traceback_later(seconds, file=config.stash[STDERR], exit=True)
