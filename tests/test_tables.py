"""A table of cases is gone through to its end."""

import pytest

from tests.tables import for_each


def test_every_row_that_fails_is_reported() -> None:
    rows_seen = []

    @for_each("number", [1, 2])
    @for_each("letter, fails", [("a", False), ("b", True)])
    def test(number: int, letter: str, base: int, *, fails: bool) -> None:
        rows_seen.append((base + number, letter))
        assert not fails

    with pytest.raises(BaseExceptionGroup, match="2 rows fail") as failure:
        test(base=10)
    assert rows_seen == [(11, "a"), (11, "b"), (12, "a"), (12, "b")]
    notes = [error.__notes__ for error in failure.value.exceptions]
    assert notes == [["The row: {'letter': 'b', 'fails': True}", f"The row: {{'number': {n}}}"] for n in (1, 2)]


async def test_a_single_error_is_raised_as_it_is() -> None:
    @for_each("number", [0, 1])
    async def test(number: int) -> None:
        assert 1 / number

    with pytest.raises(ZeroDivisionError):
        await test()
