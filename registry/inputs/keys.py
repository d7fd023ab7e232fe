"""API keys as callers ask for them."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from answering.parameters import Number
from registry.inputs.fields import Input, Moment, Name

# More than any service makes in a day, and a number that all programs can read.
MAX_DAILY = 10**12


class Scope(StrEnum):
    """What a key may do; `admin` includes the others."""

    READ = "read"
    INGEST = "ingest"
    ASK = "ask"
    ADMIN = "admin"


class KeyInput(Input):
    """A new key."""

    name: Name
    """Whose key it is, or what for."""
    scopes: frozenset[Scope] = Field(min_length=1)
    """What it may do."""
    expires_at: Moment | None = None
    """When it stops working; null is never."""
    daily_model_calls: Annotated[int, Field(ge=0, le=MAX_DAILY), Number] | None = None
    """Calls of language models that questions may make with it from midnight to midnight in UTC; null is no limit."""
    daily_tokens: Annotated[int, Field(ge=0, le=MAX_DAILY), Number] | None = None
    """Tokens that these may read and write in that time; exceeded at most by the calls under way."""
