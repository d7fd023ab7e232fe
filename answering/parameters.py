"""Parameters that callers choose: their base class, and a type for their numbers."""

from pydantic import BaseModel, BeforeValidator, ConfigDict


class Parameters(BaseModel):
    """Frozen and strict: a misspelt parameter is an error. Docstrings of fields become their descriptions over HTTP."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)


def _only_numbers(value: object) -> object:
    if isinstance(value, bool | str | bytes):
        raise ValueError("must be a number")
    return value


# JSON has one kind of number, so that 8.0 is as good a whole number as 8; `strict` would refuse it.
Number = BeforeValidator(_only_numbers)
