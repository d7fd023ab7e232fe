"""Sources and overrides as callers send them."""

from typing import Annotated

from pydantic import Field

from answering.parameters import Number
from registry.inputs.fields import Attributes, Description, ExternalId, Input, Name, Reason, Url
from registry.models import SourceStatus


class SourceInput(Input):
    """A new source."""

    name: Name
    """Name to display."""
    external_id: ExternalId | None = None
    """The caller's identifier, unique in the corpus; by default the id."""
    url: Url | None = None
    """Address of the publication."""
    description: Description = ""
    """What kind of source it is."""
    attributes: Attributes = Field(default_factory=dict)
    """Any other fields, as a JSON object."""


class SourcePatch(Input):
    """Fields to change; those left out or null stay, except that null removes `url`."""

    name: Name | None = None
    """Name to display."""
    url: Url | None = None
    """Address of the publication."""
    description: Description | None = None
    """What kind of source it is."""
    attributes: Attributes | None = None
    """Any other fields, as a JSON object; replaces the former ones."""
    status: SourceStatus | None = None
    """Only `active` sources are read; `retired` ones take no documents either."""


class OverrideInput(Input):
    """A reliability that an operator sets for a source."""

    reliability: Annotated[float, Field(ge=0, le=1), Number]
    """Counts instead of the estimate."""
    reason: Reason
    """Why it is set."""
