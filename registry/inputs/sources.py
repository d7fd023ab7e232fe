"""Sources and overrides as callers send them."""

from typing import Annotated

from pydantic import Field

from answering.parameters import Number
from registry.inputs.fields import Attributes, Description, ExternalId, Input, Name, Reason, Url
from registry.models import SourceStatus


class SourceInput(Input):
    """A new source."""

    name: Name
    """For people."""
    external_id: ExternalId | None = None
    """Yours, unique in the corpus; without one it gets its own id."""
    url: Url | None = None
    """Where it publishes."""
    description: Description = ""
    """What it is."""
    attributes: Attributes = Field(default_factory=dict)
    """Anything else, as JSON."""


class SourcePatch(Input):
    """What to change; what is left out stays, and so does what is null, but for `url`, which null removes."""

    name: Name | None = None
    """For people."""
    url: Url | None = None
    """Where it publishes."""
    description: Description | None = None
    """What it is."""
    attributes: Attributes | None = None
    """Anything else, as JSON; replaces what was there."""
    status: SourceStatus | None = None
    """`active` sources are read, `paused` ones wait, `retired` ones stay only for the record."""


class OverrideInput(Input):
    """An operator's reliability for a source."""

    reliability: Annotated[float, Field(ge=0, le=1), Number]
    """What counts instead of the estimate."""
    reason: Reason
    """Why, for those who come after."""
