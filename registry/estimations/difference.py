"""The differences between two runs: their settings, and their estimates of each source."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

from registry.corpora.model import Corpus
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import EstimationParameters
from registry.estimations.store.estimates import estimates_of
from registry.platform.database.base import AsyncSession
from registry.platform.enums import RunStatus
from registry.platform.errors import Conflict
from registry.sources.schemas import CopyGroup


@dataclass(frozen=True, slots=True)
class SourceEstimate:
    """The estimate of a source with votes in a run."""

    reliability: float
    lower: float | None
    upper: float | None
    vote_count: int
    copies: frozenset[UUID]
    """The other sources of its copy group."""


@dataclass(frozen=True, slots=True)
class SourceDifference:
    """A source in two runs; None where a run has no votes of it."""

    source_id: UUID
    source_name: str
    before: SourceEstimate | None
    after: SourceEstimate | None

    @property
    def change(self) -> float | None:
        """Change of its reliability, from -1 to 1."""
        return self.after.reliability - self.before.reliability if self.before and self.after else None

    @property
    def was_regrouped(self) -> bool:
        """Whether it has other sources in its copy group."""
        before, after = (each.copies if each else frozenset[UUID]() for each in (self.before, self.after))
        return before != after


@dataclass(frozen=True, slots=True)
class SettingDifference:
    """The method, the reader or a parameter that is not the same in two runs."""

    name: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class RunDifference:
    """Two runs, the settings that differ, and the sources that have votes in either, the most changed first."""

    before: EstimationRun
    after: EstimationRun
    settings: tuple[SettingDifference, ...]
    sources: tuple[SourceDifference, ...]

    @classmethod
    async def of(cls, session: AsyncSession, corpus: Corpus, before_id: UUID, after_id: UUID) -> Self:
        """Raises `NotFound`, and `Conflict` for a run that did not succeed."""
        before, after = [await _succeeded(session, corpus, run_id) for run_id in (before_id, after_id)]
        was, is_now = [await _estimates(session, run) for run in (before, after)]
        sources = [
            SourceDifference(source_id, name, *(run.get(source_id, (name, None))[1] for run in (was, is_now)))
            for source_id, (name, _) in (was | is_now).items()
        ]
        sources.sort(key=lambda source: (-abs(source.change) if source.change is not None else -2.0, source.source_id))
        return cls(before, after, changed_settings(before, after), tuple(sources))

    @property
    def note(self) -> str | None:
        """The effect of different settings, in words; None if they are the same."""
        return note_on(self.settings)


def note_on(settings: Sequence[SettingDifference]) -> str | None:
    """The effect of these different settings on sources, in words; None if there are none."""
    if not settings:
        return None
    *others, last = [setting.name for setting in settings]
    names = f"{', '.join(others)} and {last}" if others else last
    return f"The {names} changed, so this is no change of the sources."


def changed_settings(before: EstimationRun, after: EstimationRun) -> tuple[SettingDifference, ...]:
    """The settings in which two runs differ, the method that was used and the reader first."""
    was, is_now = _settings(before), _settings(after)
    return tuple(SettingDifference(name, was[name], is_now[name]) for name in was if was[name] != is_now[name])


def _settings(run: EstimationRun) -> dict[str, Any]:
    parameters = EstimationParameters.model_validate(run.parameters).model_dump(mode="json", exclude={"full", "method"})
    named = {f"parameter {name}": value for name, value in parameters.items()}
    return {"method": run.method, "reader": run.reader} | named


async def _succeeded(session: AsyncSession, corpus: Corpus, run_id: UUID) -> EstimationRun:
    run = await estimations.get(session, corpus, run_id)
    if run.status != RunStatus.SUCCEEDED:
        raise Conflict(f"Run {run.number} is {run.status}: only runs that succeeded can be compared.")
    return run


async def _estimates(session: AsyncSession, run: EstimationRun) -> dict[UUID, tuple[str, SourceEstimate]]:
    groups = [frozenset(CopyGroup.model_validate(group).source_ids) for group in run.copy_groups]
    copies = {source_id: group - {source_id} for group in groups for source_id in group}
    return {
        source_id: (name, SourceEstimate(reliability, lower, upper, votes, copies.get(source_id, frozenset())))
        for source_id, name, reliability, lower, upper, votes in await estimates_of(session, run)
    }
