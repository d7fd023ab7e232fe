"""Sources of a run that are one voice, as the run keeps them and as they are shown."""

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from estimator import Estimate
from registry.models import Source


class Voice(BaseModel):
    """Several sources that copy, and count as one; and what says so."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    source_ids: tuple[UUID, ...]
    """The sources."""
    source_names: tuple[str, ...]
    """Their names at that time."""
    original_id: UUID | None
    """The source that the others took from; null where the dates of documents do not tell."""
    log_odds: float
    """Natural logarithm of the odds that the strongest link between two of them is a copy."""
    shared_wrong: Annotated[float, Field(ge=0)]
    """Doubted answers that the two sources of this link share; an answer counts as far as it is doubted."""
    expected: Annotated[float, Field(ge=0)]
    """How many they would share if they did not know of each other."""
    copied_share: Annotated[float, Field(ge=0, le=1)]
    """Share of the doubted answers of the one that the other has too, beyond the expected."""


def voices_of(found: Estimate, sources: Sequence[Source]) -> list[Voice]:
    """The voices of several sources; `sources` are numbered as the votes were."""
    return [
        Voice(
            source_ids=tuple(sources[member].id for member in group.members),
            source_names=tuple(sources[member].name for member in group.members),
            original_id=None if group.original is None else sources[group.original].id,
            log_odds=group.log_odds,
            shared_wrong=group.shared_wrong,
            expected=group.expected,
            copied_share=group.copied_share,
        )
        for group in found.copies
    ]


def voice_numbers(found: Estimate) -> dict[int, int]:
    """For the sources that share a voice, which of the run's voices it is."""
    return {member: place for place, group in enumerate(found.copies) for member in group.members}
