"""API keys as callers send them."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from answering.parameters import Number
from registry.inputs.fields import Input, Moment, Name

# More than any service uses in a day, and exact as a double.
MAX_DAILY = 10**12


class Scope(StrEnum):
    """A permission of a key; `admin` includes the others."""

    READ = "read"
    INGEST = "ingest"
    ASK = "ask"
    ADMIN = "admin"


class KeyInput(Input):
    """A new key."""

    name: Name
    """Whose key it is, or what it is for."""
    scopes: frozenset[Scope] = Field(min_length=1)
    """Its permissions."""
    expires_at: Moment | None = None
    """When it expires; null is never."""
    daily_model_calls: Annotated[int, Field(ge=0, le=MAX_DAILY), Number] | None = None
    """Most calls of language models from midnight to midnight UTC; null is no limit."""
    daily_tokens: Annotated[int, Field(ge=0, le=MAX_DAILY), Number] | None = None
    """Most tokens of these calls, input and output; exceeded at most by the calls in progress. Null is no limit."""
