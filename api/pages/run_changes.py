"""The changes of a run since the succeeded run before it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self
from uuid import UUID

from registry.corpora.model import Corpus
from registry.estimations.difference import changed_settings, note_on
from registry.estimations.model import EstimationRun
from registry.estimations.store.estimates import changes_between, greatest_changes
from registry.estimations.store.votes import previous_run
from registry.platform.database.base import AsyncSession
from registry.platform.enums import RunStatus
from registry.sources import reliabilities
from registry.sources.schemas import CopyGroup

SHOWN = 10
# Smaller changes are of rounding and chance.
LEAST_CHANGE = 0.01


@dataclass(frozen=True, slots=True)
class SourceChange:
    """A source that a run saw differently; `points` is the change of its reliability."""

    source_id: UUID
    name: str
    points: float


@dataclass(frozen=True, slots=True)
class RunChanges:
    """The sources that rose and fell most, and those that joined or left copy groups."""

    previous: EstimationRun
    note: str | None
    """The note on settings that differ; None if they do not."""
    risers: Sequence[SourceChange]
    fallers: Sequence[SourceChange]
    joined: Sequence[SourceChange]
    left: Sequence[SourceChange]

    @classmethod
    async def of(cls, session: AsyncSession, corpus: Corpus, run: EstimationRun) -> Self | None:
        """The changes; None for a run that did not succeed, and for the first one."""
        previous = await previous_run(session, run) if run.status == RunStatus.SUCCEEDED else None
        if previous is None:
            return None
        rose, fell = await greatest_changes(session, run, previous, SHOWN)
        fallers = [source_id for source_id, points in fell.items() if points <= -LEAST_CHANGE]
        risers = [source_id for source_id, points in rose.items() if points >= LEAST_CHANGE]
        now, before = _grouped(run), _grouped(previous)
        joined, left = sorted(now - before)[:SHOWN], sorted(before - now)[:SHOWN]
        changes = rose | fell | await changes_between(session, run, previous, [*joined, *left])
        present = await reliabilities.of_sources(session, corpus, [*fallers, *risers, *joined, *left])
        names = {source.source_id: source.name for source in present.sources}

        def named(source_ids: Iterable[UUID]) -> list[SourceChange]:
            return [
                SourceChange(source_id, names[source_id], changes.get(source_id, 0.0))
                for source_id in source_ids
                if source_id in names
            ]

        return cls(
            previous,
            note_on(changed_settings(previous, run)),
            named(risers),
            named(fallers),
            named(joined),
            named(left),
        )


def _grouped(run: EstimationRun) -> set[UUID]:
    return {source_id for group in run.copy_groups for source_id in CopyGroup.model_validate(group).source_ids}
