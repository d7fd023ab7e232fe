"""kappa-RRSS: choose the kappa most reliable sources that answer a question.

Reliable and relevant source selection, RA-RAG section 3.4 (arXiv:2410.22954). Sources are read from the most to the
least reliable; those that abstain are skipped; the selection is complete when kappa sources have answered. `select` is
a generator without I/O: it yields the sources to read next and is sent their readings; `select_sources` runs it.
"""

import math
from collections.abc import Awaitable, Callable, Generator, Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeAlias

from answering.enums import ReadingStatus
from answering.errors import BadParameter, UnexpectedReadings
from answering.parameters import DEFAULT_KAPPA
from answering.voting.early_stopping import OpenVote, Weights
from answering.voting.readings import SourceReading
from answering.voting.voter import CastVote, Source


class RejectionReason(StrEnum):
    """The reason why a source has no vote."""

    ABSTAINED = "abstained"
    MISALIGNED = "misaligned"
    MISREAD = "misread"
    """A person found that its passages do not say what was read from them."""
    NO_PASSAGES = "no_passages"
    FAILED = "failed"
    SURPLUS = "surplus"
    """It answered, but was read in the same batch as the source that completed the selection."""
    NOT_REACHED = "not_reached"
    """The selection was complete before its turn."""
    OUT_OF_BUDGET = "out_of_budget"
    """The budget of readings was spent before its turn."""
    NOT_A_CANDIDATE = "not_a_candidate"
    """The search over the whole corpus found no passage of it."""
    UNSURE = "unsure"
    """Its answer was read with too little certainty, and too few others agree (`answering.voting.certainty`)."""


class StopReason(StrEnum):
    """The reason why the selection ended."""

    KAPPA_REACHED = "kappa_reached"
    DECIDED = "decided"
    """The remaining sources could not have changed the winner."""
    OUT_OF_BUDGET = "out_of_budget"
    EXHAUSTED = "exhausted"
    """Every source was read."""


@dataclass(frozen=True, slots=True)
class Candidate(Generic[Source]):
    """A source that may be selected.

    >>> Candidate("herald", reliability=0.9).relevance is None
    True
    """

    id: Source
    reliability: float
    """Reliability in [0, 1]."""
    relevance: float | None = None
    """Relevance of its best passage to the question, larger is better; None if unknown."""
    copy_group: Hashable | None = None
    """The copy group it belongs to; None if it is independent."""


@dataclass(frozen=True, slots=True)
class Selection(Generic[Source]):
    """The sources that vote, those that do not and why, and the reading of every source that was read.

    >>> Selection((), {}, {}, rounds=0, stop_reason=StopReason.EXHAUSTED).selected
    ()
    """

    votes: tuple[CastVote[Source], ...]
    """The votes of the selected sources, the most reliable first: at most kappa sources, or copy groups."""
    rejected: Mapping[Source, RejectionReason]
    """The rejected sources in the order of reliability."""
    readings: Mapping[Source, SourceReading]
    """The readings by source, in the order in which they were read."""
    rounds: int
    """Number of batches."""
    stop_reason: StopReason

    @property
    def selected(self) -> tuple[Source, ...]:
        return tuple(vote.source_id for vote in self.votes)

    @property
    def retrieved(self) -> bool:
        """Whether any source that was read had a passage; a failed reading counts as one."""
        return any(reading.status is not ReadingStatus.NO_PASSAGES for reading in self.readings.values())


@dataclass(frozen=True, slots=True)
class SelectionSettings:
    """Parameters of a selection. `kappa` and `budget` (readings at most) are unlimited if None.

    With `by_copy_group`, kappa counts copy groups: all members of a group are selected and fill one place.
    `stop_early` ends the selection when the remaining sources, up to kappa, could not change the winner of the vote,
    nor bring its margin down to `safe_margin`, but not before `least_votes` have answered; margin and dissent then
    lack their votes. It compares answer keys, so it needs a policy whose keys do not depend on the other answers (EXACT
    or VALUES).

    >>> SelectionSettings(kappa=6, budget=20).batch
    4
    """

    kappa: int | None = DEFAULT_KAPPA
    batch: int = DEFAULT_KAPPA
    budget: int | None = None
    stop_early: bool = False
    safe_margin: float = 0.0
    least_votes: int = 1
    by_copy_group: bool = False

    def __post_init__(self) -> None:
        if self.kappa is not None and self.kappa < 1:
            raise BadParameter(f"kappa must be at least 1, or None for all sources, not {self.kappa}")
        if self.batch < 1:
            raise BadParameter(f"a batch has at least 1 reading, not {self.batch}")
        if self.budget is not None and self.budget < 0:
            raise BadParameter(f"the budget of readings can't be negative: {self.budget}")


SelectionSteps: TypeAlias = Generator[tuple[Source, ...], Mapping[Source, SourceReading], Selection[Source]]


def select(
    sources: Sequence[Candidate[Source]],
    settings: SelectionSettings | None = None,
    electorate: Weights[Source] | None = None,
) -> SelectionSteps[Source]:
    """The selection as a generator: yields the sources to read at once, is sent a reading of each.

    The result is the same for every batch size. `electorate` says what votes weigh, where the selection may stop early.
    Raises `UnexpectedReadings` if readings are missing or were not asked for, `BadParameter` if there is no electorate
    to stop early by, and what `rank` raises.

    >>> next(select([Candidate("blog", 0.4), Candidate("herald", 0.9)], SelectionSettings(kappa=1)))
    ('herald',)
    """
    state = _SelectionState(rank(sources), settings or SelectionSettings(), electorate)
    while batch := state.next_batch():
        readings = yield tuple(source.id for source in batch)
        state.add(batch, readings)
    return state.result()


def rank(sources: Sequence[Candidate[Source]]) -> list[Candidate[Source]]:
    """The order of reading: by reliability, then relevance, both descending, then the identifier as text.

    Raises `BadParameter` for a repeated identifier and for a reliability, weight or relevance out of range.

    >>> [source.id for source in rank([Candidate("b", 0.5), Candidate("a", 0.9), Candidate("c", 0.5, relevance=0.3)])]
    ['a', 'c', 'b']
    """
    if len({source.id for source in sources}) < len(sources):
        raise BadParameter("every source may be offered once; remove the repeated ids")
    for source in sources:
        _check(source)
    return sorted(sources, key=lambda source: (-source.reliability, -_relevance(source), str(source.id)))


class _SelectionState(Generic[Source]):
    def __init__(
        self, ranked: list[Candidate[Source]], settings: SelectionSettings, electorate: Weights[Source] | None
    ) -> None:
        self._settings = settings
        self._queue = ranked
        self._affordable = self._queue[: settings.budget]
        self._kappa = len(self._queue) if settings.kappa is None else settings.kappa
        self._open = None
        if settings.stop_early:
            if electorate is None:
                raise BadParameter("stop_early needs an electorate, which says what votes weigh")
            self._open = OpenVote(electorate, [source.id for source in self._affordable])
        self._votes: list[CastVote[Source]] = []
        self._places: set[tuple[Hashable, Source | None]] = set()
        self._rejected: dict[Source, RejectionReason] = {}
        self._readings: dict[Source, SourceReading] = {}
        self._stopped: StopReason | None = None
        self._rounds = 0

    def next_batch(self) -> list[Candidate[Source]]:
        if self._stopped:
            return []
        # Never more than are still wanted.
        size = min(self._settings.batch, self._kappa - len(self._places))
        return self._affordable[len(self._readings) : len(self._readings) + size]

    def add(self, batch: Sequence[Candidate[Source]], readings: Mapping[Source, SourceReading]) -> None:
        if readings.keys() != {source.id for source in batch}:
            expected = ", ".join(repr(source.id) for source in batch)
            raise UnexpectedReadings(f"send one reading for each of the sources asked for ({expected}) and no other")
        self._rounds += 1
        # In the order of the ranking, so that the selection does not depend on the batch size.
        for source in batch:
            self._add_reading(source, readings[source.id])

    def _add_reading(self, source: Candidate[Source], reading: SourceReading) -> None:
        self._readings[source.id] = reading
        if reading.answer_key is None or reading.answer is None:
            self._rejected[source.id] = RejectionReason(reading.status)
        elif self._stopped:
            self._rejected[source.id] = RejectionReason.SURPLUS
        else:
            vote = CastVote(
                source.id,
                reading.answer_key,
                reading.answer,
                reading.published_at,
                reading.confidence,
                last_published_at=reading.last_published_at,
            )
            self._votes.append(vote)
            self._places.add(self._place(source))
            if self._open is not None:
                self._open.count(vote)
        self._stopped = self._stopped or self._stop_reason()

    def _stop_reason(self) -> StopReason | None:
        wanted = self._kappa - len(self._places)
        if wanted == 0 and self._settings.kappa is not None:
            return StopReason.KAPPA_REACHED
        enough = len(self._votes) >= self._settings.least_votes
        if self._open is not None and enough and len(self._readings) < len(self._affordable):
            # Any number of sources may still join a copy group that fills a place already.
            votes = len(self._affordable) if self._settings.by_copy_group else wanted
            decided = self._open.is_decided(len(self._readings), votes, self._settings.safe_margin)
            return StopReason.DECIDED if decided else None
        return None

    def _place(self, source: Candidate[Source]) -> tuple[Hashable, Source | None]:
        independent = source.copy_group is None or not self._settings.by_copy_group
        return (None, source.id) if independent else (source.copy_group, None)

    def result(self) -> Selection[Source]:
        over_budget = len(self._affordable) < len(self._queue)
        unread = RejectionReason.NOT_REACHED if self._stopped else RejectionReason.OUT_OF_BUDGET
        return Selection(
            votes=tuple(self._votes),
            rejected=self._rejected | {source.id: unread for source in self._queue[len(self._readings) :]},
            readings=self._readings,
            rounds=self._rounds,
            stop_reason=self._stopped or (StopReason.OUT_OF_BUDGET if over_budget else StopReason.EXHAUSTED),
        )


def _relevance(source: Candidate[Source]) -> float:
    return -math.inf if source.relevance is None else source.relevance


def _check(source: Candidate[Source]) -> None:
    if not 0.0 <= source.reliability <= 1.0:
        raise BadParameter(f"the reliability of source {source.id!r} must be in 0 to 1, not {source.reliability}")
    if source.relevance is not None and not math.isfinite(source.relevance):
        raise BadParameter(f"the relevance of source {source.id!r} must be a finite number, not {source.relevance}")


async def select_sources(
    sources: Sequence[Candidate[Source]],
    read: Callable[[Sequence[Source]], Awaitable[Mapping[Source, SourceReading]]],
    settings: SelectionSettings | None = None,
    electorate: Weights[Source] | None = None,
) -> Selection[Source]:
    """Run `select`, reading every batch it asks for with `read`. Raises what `select` and `read` raise.

    >>> import asyncio
    >>> from answering.enums import ReadingStatus
    >>> async def read(sources):
    ...     return {source: SourceReading(ReadingStatus.ABSTAINED) for source in sources}
    >>> selection = asyncio.run(select_sources([Candidate("herald", 0.9)], read))
    >>> dict(selection.rejected)
    {'herald': <RejectionReason.ABSTAINED: 'abstained'>}
    """
    steps = select(sources, settings, electorate)
    try:
        batch = next(steps)
        while True:
            batch = steps.send(await read(batch))
    except StopIteration as end:
        selection: Selection[Source] = end.value
        return selection
