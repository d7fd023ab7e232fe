"""Copy groups of an estimation run."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from registry.results.base import Result

Share = Annotated[float, Field(ge=0, le=1)]


class CopyLink(Result):
    """Two members of a copy group of which one probably copies the other."""

    first_id: UUID
    """One of them."""
    second_id: UUID
    """The other one."""
    log_odds: float
    """Natural logarithm of the odds that one copies the other."""
    agreement: Share
    """Share of the disputed queries that both have on which they answer alike."""
    copied_share: Share
    """Share of the answers that one copies from the other."""
    copier_id: UUID | None
    """The one that published later; null where publication dates do not show it."""


class Voice(Result):
    """A copy group: sources that republish each other and count as one, with the evidence for it."""

    source_ids: tuple[UUID, ...]
    """Its members."""
    source_names: tuple[str, ...]
    """Their names when the run was made."""
    original_id: UUID | None
    """The member that the others copy from; null where publication dates do not show it."""
    log_odds: float
    """Natural logarithm of the odds that the two members with the strongest evidence copy."""
    agreement: Share | None = None
    """Share of the disputed queries that both have on which these two answer alike."""
    explained: Share | None = None
    """The share expected of independent sources of their reliabilities."""
    overlap: Share | None = None
    """Queries that both vote on, as a share of those that either does; null in runs made before it was kept."""
    shared_wrong: Annotated[float, Field(ge=0)]
    """Probably wrong answers that these two share; each counts by its probability of being wrong."""
    expected: Annotated[float, Field(ge=0)]
    """How many they would share if they were independent."""
    copied_share: Share
    """Share of the answers that one copies from the other; those that agree independently do not count."""
    links: tuple[CopyLink, ...] = ()
    """The strongest links between its members; empty in runs made before they were kept."""
