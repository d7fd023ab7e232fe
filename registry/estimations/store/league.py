"""The league table of sources in SQL: those that are asked for, in their order, and how many have which reliability.

A page shows fifty sources; to load ten thousand for it takes most of its time.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Float,
    Integer,
    Row,
    Select,
    SQLColumnExpression,
    Subquery,
    and_,
    case,
    cast,
    column,
    exists,
    false,
    func,
    null,
    or_,
    select,
    true,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.sql.selectable import LateralFromClause

from registry.corpora.model import Corpus
from registry.estimations.model import EstimationRun, RunSource
from registry.estimations.store.estimates import IN_BOTH, estimate_changes
from registry.platform.fields import is_storable
from registry.sources.model import Override, Rating, Source
from registry.sources.reliabilities import LEAST_VOTES
from registry.sources.schemas import LeagueColumn, LeagueQuery, SourcesShown

PAGE_ROWS = 50
# Topics differ for a source where its best and its worst are at least so far apart.
TOPIC_GAP = 0.1
# Width of a bin of the histogram in percentage points.
BIN = 5
# Of more sources the reliabilities are only counted.
MOST_LISTED = 200


@dataclass(frozen=True, slots=True)
class Bin:
    """The sources whose reliability is at least `least` and below `most`, in percent; the last bin has 100, too."""

    least: int
    most: int
    known: int
    few: int
    """Of sources with too few votes."""

    @property
    def total(self) -> int:
        """All sources of the bin."""
        return self.known + self.few

    @property
    def width(self) -> int:
        """In percentage points."""
        return self.most - self.least


@dataclass(frozen=True, slots=True)
class League:
    """One page of the table; `number` is counted from 1."""

    source_ids: Sequence[UUID]
    total: int
    """Sources that are asked for, on all pages."""
    everywhere: int
    """All sources of the corpus."""
    number: int
    pages: int
    bins: Sequence[Bin]
    """Sources that are asked for, and those like them outside the range of reliabilities."""
    reliabilities: Sequence[float] | None
    """The reliability of each of these; None where they are too many."""


async def league(
    session: AsyncSession,
    corpus: Corpus,
    run: EstimationRun | None,
    previous: EstimationRun | None,
    query: LeagueQuery,
) -> League:
    """The page with this number, or the last one, by a run; the change is that since the previous run.

    Sources without a figure in the sorted column come last in either direction.
    """
    found = _asked_for(corpus, run, previous, query).subquery()
    place = func.floor(func.floor(found.c.reliability * 100) / BIN).label("bin")
    in_range = _in_range(found, query).label("in_range")
    counted = select(place, found.c.few, in_range, func.count()).group_by("bin", "few", "in_range")
    counts = (await session.execute(counted)).all()
    total = sum(count for *_, in_it, count in counts if in_it)
    pages = max(1, -(-total // PAGE_ROWS))
    shown = min(query.page, pages)

    order = found.c.figure.desc() if query.descending else found.c.figure.asc()
    rows = select(found.c.id).where(in_range).order_by(order.nulls_last(), found.c.id)
    source_ids = (await session.scalars(rows.limit(PAGE_ROWS).offset((shown - 1) * PAGE_ROWS))).all()
    listed = None
    if sum(count for *_, count in counts) <= MOST_LISTED:
        listed = (await session.scalars(select(found.c.reliability).where(found.c.reliability.is_not(None)))).all()
    everywhere = await session.scalar(select(func.count()).where(Source.corpus_id == corpus.id)) or 0
    return League(source_ids, total, everywhere, shown, pages, _histogram(counts), listed)


def _histogram(counts: Iterable[Row[float | None, bool, bool, int]]) -> list[Bin]:
    """The bins, from counts of sources by bin, too few votes, and whether they are in the range."""
    in_bins = Counter[tuple[int, bool]]()
    for number, few, _, count in counts:
        if number is not None:
            in_bins[min(int(number), 100 // BIN - 1), few] += count
    edges = enumerate(pairwise(range(0, 101, BIN)))
    return [Bin(least, most, in_bins[number, False], in_bins[number, True]) for number, (least, most) in edges]


def _in_range(found: Subquery, query: LeagueQuery) -> ColumnElement[bool]:
    """Whether a reliability is in the range; only the whole range holds a missing one."""
    if query.least <= 0 and query.most >= 100:
        return true()
    percent = found.c.reliability * 100
    below = true() if query.most >= 100 else percent < query.most
    return func.coalesce(and_(percent >= query.least, below), false())


def _asked_for(
    corpus: Corpus, run: EstimationRun | None, previous: EstimationRun | None, query: LeagueQuery
) -> Select[*tuple[Any, ...]]:
    """Of each source its id, its reliability, whether that rests on too few votes, and the figure to sort by."""
    topic = None if query.topic == "all" else _topics()
    tell = _over_all_topics() if topic is None else _on_topic(topic)
    reliability = func.coalesce(Override.reliability, tell.reliability)
    few = and_(tell.votes < LEAST_VOTES, Override.source_id.is_(None), Rating.source_id.is_(None))
    of_run = and_(RunSource.source_id == Source.id, RunSource.estimation_id == (run.id if run else None))
    rows = select(Source.id, reliability.label("reliability"), few.label("few")).outerjoin(RunSource, of_run)
    rows = rows.outerjoin(Override, Override.source_id == Source.id).outerjoin(Rating, Rating.source_id == Source.id)
    if topic is not None:
        rows = rows.join(topic, and_(topic.c.topic == query.topic, topic.c.vote_count > 0))
    figures: dict[LeagueColumn, SQLColumnExpression[Any]] = {
        LeagueColumn.NAME: func.lower(Source.name),
        LeagueColumn.RELIABILITY: reliability,
        LeagueColumn.LOWER: tell.lower,
        LeagueColumn.VOTES: tell.votes,
        # All sources of a run were asked the same queries.
        LeagueColumn.COVERAGE: tell.votes,
        LeagueColumn.AGREEMENT: cast(tell.agreements, Float) / func.nullif(tell.votes, 0),
        LeagueColumn.CONFLICT: cast(tell.conflicts, Float) / func.nullif(tell.votes, 0),
        LeagueColumn.CHANGE: null(),
        LeagueColumn.SINCE: Source.created_at,
    }
    if query.sort is LeagueColumn.CHANGE and run and previous:
        changed = estimate_changes(run, previous).having(IN_BOTH).subquery()
        rows = rows.outerjoin(changed, changed.c.source_id == Source.id)
        figures[LeagueColumn.CHANGE] = changed.c.change
    meant = Source.corpus_id == corpus.id, _named(query.text), _SHOWN[query.show]
    return rows.add_columns(figures[query.sort].label("figure")).where(*meant)


class _Told(NamedTuple):
    """Columns of what the votes of a source tell of it."""

    reliability: ColumnElement[Any]
    lower: ColumnElement[Any]
    votes: ColumnElement[Any]
    agreements: SQLColumnExpression[Any]
    conflicts: SQLColumnExpression[Any]


def _over_all_topics() -> _Told:
    votes = func.coalesce(RunSource.vote_count, 0)
    # The run gives a source without votes and rating the prior, which says nothing of this source.
    is_estimated = or_(votes > 0, RunSource.rating.is_not(None))
    reliability, lower = (case((is_estimated, each)) for each in (RunSource.reliability, RunSource.lower))
    return _Told(reliability, lower, votes, RunSource.agreement_count, RunSource.conflict_count)


def _on_topic(topic: LateralFromClause) -> _Told:
    """The same on a topic; agreement and conflict are kept only over all topics."""
    return _Told(topic.c.reliability, topic.c.lower, topic.c.vote_count, null(), null())


def _topics() -> LateralFromClause:
    """The topics of a source, as rows."""
    columns = (
        column("topic", Integer),
        column("reliability", Float),
        column("lower", Float),
        column("vote_count", Integer),
    )
    return func.jsonb_to_recordset(RunSource.topics).table_valued(*columns).render_derived(with_types=True).lateral()


def _named(text: str) -> ColumnElement[bool]:
    """Whether a text is part of the name or external id."""
    wanted = text.strip()
    if not is_storable(wanted):
        return false()
    if not wanted:
        return true()
    return or_(*(part.icontains(wanted, autoescape=True) for part in (Source.name, Source.external_id)))


def _is_specialist() -> ColumnElement[bool]:
    topic = _topics()
    gap = func.max(topic.c.reliability) - func.min(topic.c.reliability)
    return exists(select(1).select_from(topic).where(topic.c.vote_count > 0).having(gap >= TOPIC_GAP))


_SHOWN: dict[SourcesShown, ColumnElement[bool]] = {
    SourcesShown.ALL: true(),
    SourcesShown.OVERRIDDEN: Override.source_id.is_not(None),
    SourcesShown.TURNED: RunSource.turned_at.is_not(None),
    SourcesShown.COPIES: RunSource.copy_group.is_not(None),
    SourcesShown.SPECIALISTS: _is_specialist(),
    SourcesShown.WITHOUT_VOTES: func.coalesce(RunSource.vote_count, 0) == 0,
}
