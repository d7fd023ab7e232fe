"""Parameters that callers choose: their base class, and a type for their numbers."""

from difflib import get_close_matches
from typing import Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, ModelWrapValidatorHandler, ValidationError, model_validator
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError


class Parameters(BaseModel):
    """Frozen and strict: a misspelt parameter is an error. Docstrings of fields become their descriptions over HTTP."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)

    @model_validator(mode="wrap")
    @classmethod
    def _suggest_fields(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:  # noqa: ANN401  (input)
        """Refuse an unknown field with the name of the field that was probably meant."""
        try:
            return handler(value)
        except ValidationError as error:
            details = error.errors(include_url=False)
            if all(detail["type"] != "extra_forbidden" for detail in details):
                raise
            lines = [cls._explained(detail) for detail in details]
            raise ValidationError.from_exception_data(error.title, lines) from error

    @classmethod
    def _explained(cls, detail: ErrorDetails) -> InitErrorDetails:
        message = detail["msg"]
        if detail["type"] == "extra_forbidden" and len(detail["loc"]) == 1:
            message = f"There is no such field. {cls._suggestion(str(detail['loc'][0]))}"
        # Curly brackets would be the places of values.
        escaped = message.replace("{", "{{").replace("}", "}}")
        kind = PydanticCustomError(detail["type"], escaped)
        return InitErrorDetails(type=kind, loc=detail["loc"], input=detail["input"])

    @classmethod
    def _suggestion(cls, name: str) -> str:
        for outer, field in cls.model_fields.items():
            inner = field.annotation
            if isinstance(inner, type) and issubclass(inner, BaseModel) and name in inner.model_fields:
                return f"Did you mean `{outer}.{name}`?"
        close = get_close_matches(name, cls.model_fields, n=1)
        return f"Did you mean `{close[0]}`?" if close else f"The fields are: {', '.join(cls.model_fields)}."


def _only_numbers(value: object) -> object:
    if isinstance(value, bool | str | bytes):
        raise ValueError("must be a number")
    return value


# JSON has one kind of number, so that 8.0 is as good a whole number as 8; `strict` would refuse it.
Number = BeforeValidator(_only_numbers)
# Sources that must answer, in RA-RAG (arXiv:2410.22954).
DEFAULT_KAPPA = 4
