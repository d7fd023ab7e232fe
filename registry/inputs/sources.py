"""Sources and overrides as callers send them."""

from typing import Annotated

from pydantic import Field

from answering.parameters import Number
from registry.enums import SourceStatus
from registry.inputs.fields import Attributes, Description, ExternalId, Input, Name, Reason, Url


class SourceInput(Input):
    """A new source."""

    name: Name
    """Name to display."""
    external_id: ExternalId | None = None
    """The caller's identifier, unique in the corpus; by default the name."""
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


class RatingInput(Input):
    """What an outside list says of a source."""

    rating: Annotated[float, Field(ge=0, le=1), Number]
    """Expected share of its votes that are right: the mean of its prior."""
    strength: Annotated[float, Field(gt=0, le=1_000_000), Number] = 10.0
    """How many votes the rating counts as."""
    origin: Reason
    """Where the rating comes from: the list, its edition."""


class RatingLine(RatingInput):
    """The rating of a source in an import."""

    external_id: ExternalId
    """The source, by its external id."""


class OverrideInput(Input):
    """A reliability that an operator sets for a source."""

    reliability: Annotated[float, Field(ge=0, le=1), Number]
    """Counts instead of the estimate."""
    reason: Reason
    """Why it is set."""
