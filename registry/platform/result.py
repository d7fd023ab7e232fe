"""The base class of all results."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Score = Annotated[float, Field(ge=0, le=1)]


class Result(BaseModel):
    """A frozen result, or a part of one; the docstrings of its fields describe them in the HTTP schema."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)
