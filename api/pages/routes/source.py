"""The score card of a source, and its override."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from uuid import UUID

from fastapi import Request
from starlette.responses import Response

from api.http.dependencies import ReadAccess
from api.http.routes.sources import SourceReference
from api.http.schemas.sources import SourceWithReliability
from api.pages.charts import HistoryPoint
from api.pages.paging import PageNumber, cut, page_count
from api.pages.rendering import page
from api.pages.visitors import page_router
from registry.corpora.model import Corpus
from registry.estimations import store as estimations
from registry.estimations.difference import changed_settings, note_on
from registry.estimations.explanation import explain_votes
from registry.estimations.model import EstimationRun, RunSource
from registry.estimations.store import SourceVote, estimates
from registry.platform.database.base import AsyncSession
from registry.platform.database.paging import MAX_LIMIT
from registry.sources import reliabilities
from registry.sources.schemas import JointDissent
from registry.viewers.model import Viewer
from registry.votes.summaries import influence_of

router = page_router("/corpora/{corpus}/sources/{source_id}")

VOTES_SHOWN = 25
DOUBTFUL_SHOWN = 5


class ShowVotes(StrEnum):
    """The readings that the score card lists."""

    ALL = "all"
    AGAINST = "against"
    WITH = "with"
    DISPUTED = "disputed"
    NONE = "none"


_TESTS: Mapping[ShowVotes, Callable[[SourceVote], bool]] = {
    ShowVotes.ALL: lambda _: True,
    ShowVotes.AGAINST: lambda vote: vote.agrees is False,
    ShowVotes.WITH: lambda vote: vote.agrees is True,
    ShowVotes.DISPUTED: lambda vote: vote.contradicted,
    ShowVotes.NONE: lambda vote: vote.agrees is None,
}


@router.get("")
async def show_source(
    request: Request,
    access: ReadAccess,
    source_id: SourceReference,
    votes: ShowVotes = ShowVotes.ALL,
    number: PageNumber = 1,
) -> Response:
    """The score of a source, how it came, and how it was over time."""
    async with access.at_source(source_id) as (session, corpus, source):
        current = await reliabilities.of_source(session, corpus, source.id)
        points = await _history(session, corpus, source.id)
        run = current.run
        readings = await estimations.votes_of_source(session, run, source.id, access.viewer) if run else []
        listed = [vote for vote in readings if _TESTS[votes](vote)]
        shown, number = cut(listed, number, VOTES_SHOWN)
        explained = await explain_votes(session, shown)
    return page(
        request,
        "sources/source.html",
        corpus=corpus.name,
        source=SourceWithReliability.joined(source, current.sources[0], run),
        run=run,
        copy_group=current.sources[0].copy_group,
        joint_dissents=_dissents(run, source.id, access.viewer) if run else [],
        history=points,
        readings=readings,
        explained=explained,
        doubtful=_doubtful(readings),
        votes=votes,
        number=number,
        pages=page_count(len(listed), VOTES_SHOWN),
    )


@router.get("/influence")
async def show_influence(request: Request, access: ReadAccess, source_id: SourceReference) -> Response:
    """The answers that would be others without the source."""
    async with access.at_source(source_id) as (session, corpus, source):
        found = await influence_of(session, corpus, source, access.viewer)
    return page(request, "sources/influence.html", corpus=corpus.name, source=source, found=found)


def _dissents(run: EstimationRun, source_id: UUID, viewer: Viewer) -> list[JointDissent]:
    """The groups of the run in which the source dissents together with others."""
    groups = map(JointDissent.model_validate, run.joint_dissents)
    own = [group for group in groups if source_id in group.source_ids]
    return own if viewer.sees_all else [group.without_queries() for group in own]


def _doubtful(readings: Sequence[SourceVote]) -> list[SourceVote]:
    """The contradicted votes of which it is least certain if they are right, and that move the reliability most."""
    contradicted = [vote for vote in readings if vote.contradicted and vote.lead is not None]
    return sorted(contradicted, key=lambda vote: vote.lead or 0.0)[:DOUBTFUL_SHOWN]


async def _history(session: AsyncSession, corpus: Corpus, source_id: UUID) -> list[HistoryPoint]:
    """The estimates of every run with votes of the source."""
    points: list[HistoryPoint] = []
    cursor = None
    before: tuple[EstimationRun, RunSource] | None = None
    while True:
        part = await estimates.history(session, corpus, source_id, cursor=cursor, limit=MAX_LIMIT)
        runs = await estimates.runs_behind(session, part.items)
        for found in filter(lambda each: each.vote_count, part.items):
            run = runs[found.estimation_id]
            note = note_on(changed_settings(before[0], run)) if before else None
            known = found.reliability, found.lower, found.upper, found.vote_count
            events = _events(before[1] if before else None, found)
            points.append(HistoryPoint(run.id, *known, run.number, run.method, note, events))
            before = run, found
        cursor = part.next_cursor
        if cursor is None:
            return points


def _events(before: RunSource | None, found: RunSource) -> list[str]:
    """What a run found out about a source that the run before it did not say."""
    events = []
    if found.turned_at and not (before and before.turned_at):
        events.append(f"The source turned on {found.turned_at:%Y-%m-%d}.")
    if before and (before.copy_group is None) != (found.copy_group is None):
        events.append(f"The source {'joined' if before.copy_group is None else 'left'} a copy group.")
    return events
