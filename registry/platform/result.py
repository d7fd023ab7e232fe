"""The base class of all results."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

Score = Annotated[float, Field(ge=0, le=1)]
Time = Annotated[datetime, AfterValidator(lambda time: time.astimezone(UTC))]


class Result(BaseModel):
    """A frozen result, or a part of one; the docstrings of its fields describe them in the HTTP schema."""

    model_config = ConfigDict(frozen=True, from_attributes=True, use_attribute_docstrings=True)
