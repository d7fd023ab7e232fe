"""kappa-RRSS, the choice of the kappa most reliable sources that know an answer: RA-RAG section 3.4.

Walk the sources from the most to the least reliable, read each, keep those that answer, stop at kappa. `select`
is a generator without I/O: it yields the sources to read at once and is sent their readings.
"""

import math
from collections.abc import Collection, Generator, Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from answering.errors import BadParameter, UnexpectedReadings
from answering.voting.early_stopping import Race
from answering.voting.vote import MAX_WEIGHT, Ballot
from estimator.policies import NegativeWeights

Source = TypeVar("Source", bound=Hashable)

DEFAULT_KAPPA = 4


class ReadingStatus(StrEnum):
    """What reading a source came to."""

    ANSWERED = "answered"
    ABSTAINED = "abstained"
    MISALIGNED = "misaligned"
    NO_PASSAGES = "no_passages"
    FAILED = "failed"


class RejectionReason(StrEnum):
    """Why a source has no vote."""

    ABSTAINED = "abstained"
    MISALIGNED = "misaligned"
    NO_PASSAGES = "no_passages"
    FAILED = "failed"
    SURPLUS = "surplus"
    """It answered, but was read beside one with which the selection was complete."""
    NOT_REACHED = "not_reached"
    """The selection was complete before its turn."""
    OUT_OF_BUDGET = "out_of_budget"
    """The readings were spent before its turn."""
    NOT_A_CANDIDATE = "not_a_candidate"
    """The search over the whole corpus found nothing of it."""


class StopReason(StrEnum):
    """Why the walk ended."""

    KAPPA_REACHED = "kappa_reached"
    DECIDED = "decided"
    """The sources still to come could not have changed the winner."""
    OUT_OF_BUDGET = "out_of_budget"
    EXHAUSTED = "exhausted"
    """Every source was read."""


class Pace(StrEnum):
    """How many sources are read at once."""

    THRIFTY = "thrifty"
    """At most a batch and never more than are still wanted: kappa readings plus the abstainers before them."""
    SWIFT = "swift"
    """Always a full batch: fewer rounds, at the price of readings that turn out surplus."""


@dataclass(frozen=True, slots=True)
class Ranked(Generic[Source]):
    """A source to choose from."""

    id: Source
    reliability: float
    """In [0, 1]."""
    weight: float = 1.0
    """What its vote would count."""
    relevance: float | None = None
    """How well its best passage fits the question, larger is better; None where nobody looked."""
    voice: Hashable | None = None
    """What it is one voice with, as sources that copy each other are; None for a voice of its own."""


@dataclass(frozen=True, slots=True)
class SourceReading:
    """What a source says: an answer and its class, or why there is none."""

    status: ReadingStatus
    answer_key: str | None = None
    answer: str | None = None

    def __post_init__(self) -> None:
        answered = self.status is ReadingStatus.ANSWERED
        if answered != (self.answer_key is not None) or answered != (self.answer is not None):
            raise BadParameter(f"a reading has an answer and its key if and only if it answered, not: {self}")


@dataclass(frozen=True, slots=True)
class Selected(Generic[Source]):
    """A source that votes."""

    source: Ranked[Source]
    reading: SourceReading


@dataclass(frozen=True, slots=True)
class Rejected(Generic[Source]):
    """A source that does not vote; `reading` is None if it was not read."""

    source: Ranked[Source]
    reason: RejectionReason
    reading: SourceReading | None = None


@dataclass(frozen=True, slots=True)
class Selection(Generic[Source]):
    """Who votes, who doesn't and why, and what it cost to find out."""

    selected: tuple[Selected[Source], ...]
    """In the order of the walk, at most kappa sources, or sources of as many voices."""
    rejected: tuple[Rejected[Source], ...]
    """In the order of the walk, those that were no candidates last."""
    readings: int
    rounds: int
    """How many times readings were waited for."""
    stop_reason: StopReason

    @property
    def retrieved(self) -> bool:
        """Whether any source that was read had a passage to read; a reading that failed counts as one."""
        readings = [one.reading for one in self.selected] + [one.reading for one in self.rejected if one.reading]
        return any(reading.status is not ReadingStatus.NO_PASSAGES for reading in readings)

    def ballots(self) -> list[Ballot[Source]]:
        """The votes of the selected sources."""
        return [
            Ballot(one.source.id, one.reading.answer_key, one.reading.answer, one.source.weight)
            for one in self.selected
            if one.reading.answer_key is not None and one.reading.answer is not None
        ]


@dataclass(frozen=True, slots=True)
class SelectionSettings:
    """How to walk. `kappa` and `budget` (readings at most) are unlimited if None.

    With `by_voice` kappa counts voices, so that copies side by side fill one place and all are selected.
    `stop_early` ends the walk when the remaining sources, up to kappa, could not change the winner of the vote
    under `negative`; margin and dissent then lack their votes. It compares the readings' keys, so it needs keys
    that don't depend on other answers (EXACT or VALUES).
    """

    kappa: int | None = DEFAULT_KAPPA
    batch: int = DEFAULT_KAPPA
    budget: int | None = None
    stop_early: bool = False
    pace: Pace = Pace.THRIFTY
    negative: NegativeWeights = NegativeWeights.KEEP
    by_voice: bool = False

    def __post_init__(self) -> None:
        if self.kappa is not None and self.kappa < 1:
            raise BadParameter(f"kappa must be at least 1, or None for all sources, not {self.kappa}")
        if self.batch < 1:
            raise BadParameter(f"a batch has at least 1 reading, not {self.batch}")
        if self.budget is not None and self.budget < 0:
            raise BadParameter(f"the budget of readings can't be negative: {self.budget}")


def rank(sources: Sequence[Ranked[Source]]) -> list[Ranked[Source]]:
    """The order of the walk: by reliability, then relevance, the largest first, then the id as text.

    Raises `BadParameter` for an id given twice and for a reliability, weight or relevance that is no such number.
    """
    if len({source.id for source in sources}) < len(sources):
        raise BadParameter("every source may be offered once; remove the repeated ids")
    for source in sources:
        _check(source)
    return sorted(sources, key=lambda one: (-one.reliability, -_relevance(one), str(one.id)))


def select(
    sources: Sequence[Ranked[Source]],
    settings: SelectionSettings | None = None,
    candidates: Collection[Source] | None = None,
) -> Generator[tuple[Source, ...], Mapping[Source, SourceReading], Selection[Source]]:
    """Walk the sources: yields the ids to read at once, is sent a reading for each, returns the selection.

    `candidates` are the sources for which a search over the corpus found a passage; no other is read.
    The selection is the same for every batch size and pace. Raises `UnexpectedReadings` for a reading too few
    or too many, and what `rank` raises.
    """
    walk = _Walk(rank(sources), settings or SelectionSettings(), candidates)
    while batch := walk.next_batch():
        readings = yield tuple(source.id for source in batch)
        walk.take(batch, readings)
    return walk.selection()


class _Walk(Generic[Source]):
    def __init__(
        self, ranked: list[Ranked[Source]], settings: SelectionSettings, candidates: Collection[Source] | None
    ) -> None:
        known = None if candidates is None else frozenset(candidates)
        self._settings = settings
        self._route = [source for source in ranked if known is None or source.id in known]
        self._elsewhere = [source for source in ranked if known is not None and source.id not in known]
        self._reachable = self._route[: settings.budget]
        self._kappa = len(self._route) if settings.kappa is None else settings.kappa
        self._race = Race(list(map(self._weight, self._reachable)))
        self._selected: list[Selected[Source]] = []
        self._filled: set[tuple[Hashable, Source | None]] = set()
        self._rejected: list[Rejected[Source]] = []
        self._stopped: StopReason | None = None
        self._readings = 0
        self._rounds = 0

    def next_batch(self) -> list[Ranked[Source]]:
        if self._stopped:
            return []
        size = self._settings.batch
        if self._settings.pace is Pace.THRIFTY:
            size = min(size, self._kappa - len(self._filled))
        return self._reachable[self._readings : self._readings + size]

    def take(self, batch: Sequence[Ranked[Source]], readings: Mapping[Source, SourceReading]) -> None:
        if readings.keys() != {source.id for source in batch}:
            asked = ", ".join(repr(source.id) for source in batch)
            raise UnexpectedReadings(f"send one reading for each of the sources asked for ({asked}) and no other")
        self._rounds += 1
        # In the order of the walk, whatever came first, so that the selection doesn't depend on the batch.
        for source in batch:
            self._take_one(source, readings[source.id])

    def _take_one(self, source: Ranked[Source], reading: SourceReading) -> None:
        self._readings += 1
        if reading.answer_key is None:
            self._rejected.append(Rejected(source, RejectionReason(reading.status), reading))
        elif self._stopped:
            self._rejected.append(Rejected(source, RejectionReason.SURPLUS, reading))
        else:
            self._selected.append(Selected(source, reading))
            self._filled.add(self._place(source))
            self._race.count(reading.answer_key, self._weight(source))
        self._stopped = self._stopped or self._stop()

    def _stop(self) -> StopReason | None:
        wanted = self._kappa - len(self._filled)
        if wanted == 0 and self._settings.kappa is not None:
            return StopReason.KAPPA_REACHED
        if self._settings.stop_early and self._readings < len(self._reachable):
            # Any number of sources may still join a voice that fills a place already.
            votes = len(self._reachable) if self._settings.by_voice else wanted
            return StopReason.DECIDED if self._race.is_decided(self._readings, votes) else None
        return None

    def _place(self, source: Ranked[Source]) -> tuple[Hashable, Source | None]:
        alone = source.voice is None or not self._settings.by_voice
        return (None, source.id) if alone else (source.voice, None)

    def _weight(self, source: Ranked[Source]) -> float:
        return max(source.weight, 0.0) if self._settings.negative is NegativeWeights.ZERO else source.weight

    def selection(self) -> Selection[Source]:
        over_budget = len(self._reachable) < len(self._route)
        ended = StopReason.OUT_OF_BUDGET if over_budget else StopReason.EXHAUSTED
        unread = RejectionReason.NOT_REACHED if self._stopped else RejectionReason.OUT_OF_BUDGET
        return Selection(
            selected=tuple(self._selected),
            rejected=(
                *self._rejected,
                *(Rejected(source, unread) for source in self._route[self._readings :]),
                *(Rejected(source, RejectionReason.NOT_A_CANDIDATE) for source in self._elsewhere),
            ),
            readings=self._readings,
            rounds=self._rounds,
            stop_reason=self._stopped or ended,
        )


def _relevance(source: Ranked[Source]) -> float:
    return -math.inf if source.relevance is None else source.relevance


def _check(source: Ranked[Source]) -> None:
    if not 0.0 <= source.reliability <= 1.0:
        raise BadParameter(f"the reliability of source {source.id!r} must be in 0 to 1, not {source.reliability}")
    if not abs(source.weight) <= MAX_WEIGHT:
        raise BadParameter(f"source {source.id!r} can't weigh {source.weight}: at most ±{MAX_WEIGHT:g}")
    if source.relevance is not None and not math.isfinite(source.relevance):
        raise BadParameter(f"the relevance of source {source.id!r} must be a finite number, not {source.relevance}")
