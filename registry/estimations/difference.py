"""The differences between two runs: their settings, and their estimates of each source."""

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from registry.corpora.model import Corpus
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import (
    PARAMETER,
    ComparedRun,
    EstimationParameters,
    RunDifference,
    SettingDifference,
    SourceDifference,
    SourceEstimate,
)
from registry.estimations.store.estimates import changed_sources, estimates_of
from registry.platform.database.base import AsyncSession
from registry.platform.enums import RunStatus
from registry.platform.errors import Conflict
from registry.sources.schemas import CopyGroup


async def difference(
    session: AsyncSession, corpus: Corpus, before_id: UUID, after_id: UUID, source_ids: Collection[UUID] | None = None
) -> RunDifference:
    """The difference in all sources, or in these; raises `NotFound`, and `Conflict` for a run that did not succeed."""
    before, after = [await _succeeded(session, corpus, run_id) for run_id in (before_id, after_id)]
    was, is_now = [await _estimates(session, run, source_ids) for run in (before, after)]
    sources = [
        _compared(source_id, name, *(run.get(source_id, (name, None))[1] for run in (was, is_now)))
        for source_id, (name, _) in (was | is_now).items()
    ]
    sources.sort(key=lambda source: (-abs(source.change) if source.change is not None else -2.0, source.source_id))
    settings = changed_settings(before, after)
    return RunDifference(
        before=ComparedRun.model_validate(before),
        after=ComparedRun.model_validate(after),
        note=note_on(settings),
        settings=settings,
        sources=sources,
    )


async def most_changed(
    session: AsyncSession, corpus: Corpus, before_id: UUID, after_id: UUID, *, least: float, limit: int
) -> tuple[RunDifference, int, int]:
    """The difference in the sources that changed by `least` or more or have other copies, at most `limit`; the number
    of all of these, and of all sources with votes.
    """
    before, after = [await _succeeded(session, corpus, run_id) for run_id in (before_id, after_id)]
    was, is_now = [_copies(run) for run in (before, after)]
    regrouped = [source_id for source_id in was | is_now if was.get(source_id) != is_now.get(source_id)]
    ids, changed, total = await changed_sources(session, after, before, least=least, regrouped=regrouped, limit=limit)
    return await difference(session, corpus, before_id, after_id, ids), changed, total


def _compared(
    source_id: UUID, name: str, before: SourceEstimate | None, after: SourceEstimate | None
) -> SourceDifference:
    change = after.reliability - before.reliability if before and after else None
    was, is_now = (set(each.copies if each else ()) for each in (before, after))
    return SourceDifference(
        source_id=source_id, source_name=name, before=before, after=after, change=change, was_regrouped=was != is_now
    )


def note_on(settings: Sequence[SettingDifference]) -> str | None:
    """The effect of these different settings on sources, in words; None if there are none."""
    if not settings:
        return None
    *others, last = [setting.in_words for setting in settings]
    names = f"{', '.join(others)} and {last}" if others else last
    return f"The {names} changed, so this is no change of the sources."


def changed_settings(before: EstimationRun, after: EstimationRun) -> list[SettingDifference]:
    """The settings in which two runs differ, the method that was used and the reader first."""
    was, is_now = _settings(before), _settings(after)
    return [
        SettingDifference(name=name, before=was[name], after=is_now[name]) for name in was if was[name] != is_now[name]
    ]


def _settings(run: EstimationRun) -> dict[str, Any]:
    parameters = EstimationParameters.model_validate(run.parameters).model_dump(mode="json", exclude={"full", "method"})
    named = {f"{PARAMETER}{name}": value for name, value in parameters.items()}
    return {"method": run.method, "reader": run.reader} | named


async def _succeeded(session: AsyncSession, corpus: Corpus, run_id: UUID) -> EstimationRun:
    run = await estimations.get(session, corpus, run_id)
    if run.status != RunStatus.SUCCEEDED:
        raise Conflict(f"Run {run.number} is {run.status}: only runs that succeeded can be compared.")
    return run


def _copies(run: EstimationRun) -> dict[UUID, list[UUID]]:
    groups = [CopyGroup.model_validate(group).source_ids for group in run.copy_groups]
    return {source_id: sorted({*group} - {source_id}) for group in groups for source_id in group}


async def _estimates(
    session: AsyncSession, run: EstimationRun, source_ids: Collection[UUID] | None
) -> dict[UUID, tuple[str, SourceEstimate]]:
    copies = _copies(run)
    return {
        source_id: (
            name,
            SourceEstimate(
                reliability=reliability,
                lower=lower,
                upper=upper,
                vote_count=votes,
                copies=copies.get(source_id, []),
            ),
        )
        for source_id, name, reliability, lower, upper, votes in await estimates_of(session, run, source_ids)
    }
