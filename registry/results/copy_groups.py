"""Copy groups of an estimation run."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from registry.results.base import Result


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
    shared_wrong: Annotated[float, Field(ge=0)]
    """Probably wrong answers that these two share; each counts by its probability of being wrong."""
    expected: Annotated[float, Field(ge=0)]
    """How many they would share if they were independent."""
    copied_share: Annotated[float, Field(ge=0, le=1)]
    """Share of the probably wrong answers of one that the other has too, beyond the expected."""
