"""Numbers as they come in: JSON's own, not texts or truth values that could be read as numbers."""

from pydantic import BeforeValidator


def _only_numbers(value: object) -> object:
    if isinstance(value, bool | str | bytes):
        raise ValueError("must be a number")
    return value


# JSON has one kind of number, so that 8.0 is as good a whole number as 8; `strict` would refuse it.
Number = BeforeValidator(_only_numbers)
