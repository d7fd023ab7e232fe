"""Tables of cases that one test goes through."""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import pytest

Test: TypeAlias = Callable[..., Any]


def for_each(names: str | Sequence[str], rows: Iterable[Any]) -> Callable[[Test], Test]:
    """Like `pytest.mark.parametrize`, but one test for all rows: each further test would take 5 ms more.

    It fails with the errors of all rows that fail, each with a note that holds the row. Fixtures are set up once.
    """
    if isinstance(names, str):
        names = [name.strip() for name in names.split(",")]
        rows = rows if len(names) > 1 else ((row,) for row in rows)
    cases = [dict(zip(names, row, strict=True)) for row in rows]

    def decorate(test: Test) -> Test:
        def run(**fixtures: object) -> None:
            __tracebackhide__ = True
            with _reporting() as failing:
                for case in cases:
                    with failing(case):
                        test(**case, **fixtures)

        async def run_async(**fixtures: object) -> None:
            __tracebackhide__ = True
            with _reporting() as failing:
                for case in cases:
                    with failing(case):
                        await test(**case, **fixtures)

        decorated = functools.wraps(test)(run_async if inspect.iscoroutinefunction(test) else run)
        signature = inspect.signature(test)
        fixtures = [parameter for name, parameter in signature.parameters.items() if name not in names]
        decorated.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
        return decorated

    return decorate


@contextmanager
def _reporting() -> Iterator[Callable[[object], Any]]:
    """Yields a context manager for each case, which keeps its error; raises what was kept at the end of the block."""
    __tracebackhide__ = True
    errors: list[BaseException] = []

    @contextmanager
    def failing(case: object) -> Iterator[None]:
        try:
            yield
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001  (raised again at the end)
            error.add_note(f"The row: {case}")
            errors.append(error)

    yield failing
    if len(errors) > 1:
        raise BaseExceptionGroup(f"{len(errors)} rows fail", errors)
    if errors:
        raise errors[0]
