"""Who adds up the votes: a worker has some of the files, and keeps those that fit its memory between rounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from estimator.distributed.overview import Grouping, Numbering, Overview, VoteCounts
from estimator.distributed.parts import Part
from estimator.distributed.tasks import Expectation, ExpectedSums, Places, SumsT, Task
from estimator.distributed.values import places
from estimator.distributed.vote_files import read_votes


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """How sources and patterns are numbered, and the copy groups that take the place of sources."""

    numbering: Numbering
    grouping: Grouping | None = None

    @property
    def member_count(self) -> int:
        """Sources that are in copy groups of one or more."""
        return 0 if self.grouping is None else self.grouping.groups.size


class Workers(Protocol):
    """All workers together."""

    def overviews(self, threshold: int) -> list[Overview]:
        """Of every file; `threshold` is that of the sample."""
        ...

    def group(self, grouping: Grouping) -> list[VoteCounts]:
        """Of every file, once copy groups are in the place of sources."""
        ...

    def lay_out(self, layout: Layout) -> None:
        """Tell all how sources and patterns are numbered, before the first `total`."""
        ...

    def total(self, task: Task[SumsT]) -> SumsT:
        """The sums over all votes."""
        ...

    def member_total(self, task: Expectation) -> ExpectedSums:
        """The sums over the votes of all members of copy groups."""
        ...

    def close(self) -> None:
        """End them."""
        ...


class Worker:
    """Adds up the votes of some files.

    Everything it keeps can be read again, so that one that starts anew in the middle goes on after it has read its
    files.
    """

    def __init__(self, paths: Sequence[str], memory: int) -> None:
        """The files, and the bytes that their votes may take between rounds; files beyond are read in every round."""
        self._paths, self._memory = paths, memory
        self._kept: dict[str, _Kept] = {}

    def overviews(self, threshold: int) -> list[Overview]:
        """Of every file; `threshold` is that of the sample."""
        found = []
        for path in self._paths:
            file = read_votes(path)
            part = Part.of(file.votes, file.sources)
            found.append(Overview.of(file, part, threshold))
            self._keep(path, _Kept(part))
        return found

    def group(self, grouping: Grouping) -> list[VoteCounts]:
        """Of every file, once copy groups are in the place of sources."""
        return [VoteCounts.of(self._load(path, grouping).part) for path in self._paths]

    def total(self, layout: Layout, task: Task[SumsT]) -> SumsT:
        """The sums over the votes of all files."""
        total = task.zero()
        for path in self._paths:
            kept = self._load(path, layout.grouping)
            if kept.places is None:
                kept.places = _places(kept.part, layout.numbering)
            task.add_part(kept.part, kept.places, total)
        return total

    def member_total(self, layout: Layout, task: Expectation) -> ExpectedSums:
        """The sums over the votes of all members of copy groups, whose files are read again."""
        grouping, total = layout.grouping, task.zero(layout.member_count)
        if grouping is None:
            return total
        for path in self._paths:
            part = _read(path)
            at = places(part.sources, grouping.sources)
            grouped, classes = part.grouped(grouping.groups[at])
            right = np.zeros(part.class_votes.size)
            right[classes] = task.probabilities(grouped, _places(grouped, layout.numbering))
            task.add_members(part, at, right, total)
        return total

    def _load(self, path: str, grouping: Grouping | None) -> "_Kept":
        """The votes of a file, with copy groups in the place of sources if there are any."""
        kept = self._kept.get(path) or _Kept(_read(path))
        if grouping is not None and not kept.is_grouped:
            self._kept.pop(path, None)
            groups = grouping.groups[places(kept.part.sources, grouping.sources)]
            kept = _Kept(kept.part.grouped(groups)[0], is_grouped=True)
        self._keep(path, kept)
        return kept

    def _keep(self, path: str, kept: "_Kept") -> None:
        others = sum(other.part.nbytes for name, other in self._kept.items() if name != path)
        if others + kept.part.nbytes <= self._memory:
            self._kept[path] = kept


@dataclass(slots=True, eq=False)
class _Kept:
    """What a worker keeps of a file."""

    part: Part
    is_grouped: bool = False
    places: Places | None = None


def _read(path: str) -> Part:
    file = read_votes(path)
    return Part.of(file.votes, file.sources)


def _places(part: Part, numbering: Numbering) -> Places:
    return Places(places(part.sources, numbering.sources), part.patterns.places(numbering.patterns))


class LocalWorkers:
    """One worker, in this process."""

    def __init__(self, paths: Sequence[str], memory: int) -> None:
        """As for `Worker`."""
        self._worker = Worker(paths, memory)
        self._layout = Layout(Numbering.empty())

    def overviews(self, threshold: int) -> list[Overview]:
        """Of every file; `threshold` is that of the sample."""
        return self._worker.overviews(threshold)

    def group(self, grouping: Grouping) -> list[VoteCounts]:
        """Of every file, once copy groups are in the place of sources."""
        return self._worker.group(grouping)

    def lay_out(self, layout: Layout) -> None:
        """Tell the worker how sources and patterns are numbered."""
        self._layout = layout

    def total(self, task: Task[SumsT]) -> SumsT:
        """The sums over all votes."""
        return self._worker.total(self._layout, task)

    def member_total(self, task: Expectation) -> ExpectedSums:
        """The sums over the votes of all members of copy groups."""
        return self._worker.member_total(self._layout, task)

    def close(self) -> None:
        """Nothing to end."""
