"""The league table of sources: its rows, sorted, filtered and cut into pages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from api.pages.paging import cut, page_count
from registry.results.copy_groups import Voice
from registry.results.topics import Topic, TopicReliability
from registry.store.reliabilities import Reliabilities, SourceReliability

PAGE_ROWS = 50
# Topics differ for a source where its best and its worst are at least so far apart.
TOPIC_GAP = 0.1


@dataclass(frozen=True, slots=True)
class LeagueRow:
    """One source with its figures."""

    source: SourceReliability
    coverage: float | None
    """Share of the queries of the run on which it voted."""
    agreement: float | None
    """Share of its votes that are for the answers of the run."""
    conflict: float | None
    """Share of its votes on queries of which other sources gave other answers."""
    change: float | None
    """Of its estimate since the run before; None too where the table is not sorted by it."""
    copy_group: Voice | None
    best_topic: str | None
    """Label of the topic on which it is most reliable, where topics differ for it."""
    worst_topic: str | None


class Column(StrEnum):
    """What the table can be sorted by."""

    NAME = "name"
    RELIABILITY = "reliability"
    LOWER = "lower"
    VOTES = "votes"
    COVERAGE = "coverage"
    AGREEMENT = "agreement"
    CONFLICT = "conflict"
    CHANGE = "change"


class Show(StrEnum):
    """Which sources the table shows."""

    ALL = "all"
    OVERRIDDEN = "overridden"
    TURNED = "turned"
    COPIES = "copies"
    SPECIALISTS = "specialists"
    WITHOUT_VOTES = "without_votes"


_KEYS: Mapping[Column, Callable[[LeagueRow], Any]] = {
    Column.NAME: lambda row: row.source.name.casefold(),
    Column.RELIABILITY: lambda row: row.source.reliability,
    Column.LOWER: lambda row: row.source.lower,
    Column.VOTES: lambda row: row.source.vote_count,
    Column.COVERAGE: lambda row: row.coverage,
    Column.AGREEMENT: lambda row: row.agreement,
    Column.CONFLICT: lambda row: row.conflict,
    Column.CHANGE: lambda row: row.change,
}
_TESTS: Mapping[Show, Callable[[LeagueRow], bool]] = {
    Show.ALL: lambda _: True,
    Show.OVERRIDDEN: lambda row: row.source.override is not None,
    Show.TURNED: lambda row: row.source.turned_at is not None,
    Show.COPIES: lambda row: row.copy_group is not None,
    Show.SPECIALISTS: lambda row: row.best_topic is not None,
    Show.WITHOUT_VOTES: lambda row: row.source.vote_count == 0,
}


@dataclass(frozen=True, slots=True)
class LeaguePage:
    """One page of the table; `number` is counted from 1."""

    rows: Sequence[LeagueRow]
    total: int
    number: int
    pages: int

    @property
    def source_ids(self) -> list[UUID]:
        """Of its rows."""
        return [row.source.source_id for row in self.rows]


def league_rows(current: Reliabilities, changes: Mapping[UUID, float]) -> list[LeagueRow]:
    """A row for every source."""
    run = current.run
    groups = [Voice.model_validate(group) for group in run.voices] if run else []
    labels = [Topic.model_validate(topic).label for topic in run.topics] if run else []
    rows = []
    for source in current.sources:
        best, worst = _extremes(source.topics)
        rows.append(
            LeagueRow(
                source=source,
                coverage=source.vote_count / run.queries_total if run and run.queries_total else None,
                agreement=_share(source.agreement_count, source.vote_count),
                conflict=_share(source.conflict_count, source.vote_count),
                change=changes.get(source.source_id),
                copy_group=None if source.voice is None else groups[source.voice],
                best_topic=None if best is None else labels[best.topic],
                worst_topic=None if worst is None else labels[worst.topic],
            )
        )
    return rows


def _share(count: int | None, total: int) -> float | None:
    return count / total if count is not None and total else None


def league_page(
    rows: Sequence[LeagueRow], *, text: str, show: Show, sort: Column, descending: bool, number: int
) -> LeaguePage:
    """The page with this number, or the last one, of the rows whose name or external id contains the text.

    Rows without a figure in the sorted column come last in either direction.
    """
    wanted, key, test = text.strip().casefold(), _KEYS[sort], _TESTS[show]
    matching = [
        row
        for row in rows
        if test(row) and (wanted in row.source.name.casefold() or wanted in row.source.external_id.casefold())
    ]
    valued = sorted((row for row in matching if key(row) is not None), key=key, reverse=descending)
    ordered = valued + [row for row in matching if key(row) is None]
    shown, number = cut(ordered, number, PAGE_ROWS)
    return LeaguePage(shown, len(ordered), number, page_count(len(ordered), PAGE_ROWS))


def _extremes(topics: Sequence[TopicReliability]) -> tuple[TopicReliability | None, TopicReliability | None]:
    """The topics of a source with votes on which it is most and least reliable, where these differ."""
    voted = [topic for topic in topics if topic.vote_count]
    if len(voted) < 2:
        return None, None
    best, worst = (choose(voted, key=lambda topic: topic.reliability) for choose in (max, min))
    return (best, worst) if best.reliability - worst.reliability >= TOPIC_GAP else (None, None)
