"""Who adds up the votes: a worker has some of the files, and keeps those that fit its memory between rounds."""

from collections.abc import Sequence
from typing import Protocol

from estimator.distributed.overview import Numbering, Overview
from estimator.distributed.parts import Part
from estimator.distributed.tasks import Places, SumsT, Task
from estimator.distributed.values import places
from estimator.distributed.vote_files import read_votes


class Workers(Protocol):
    """All workers together."""

    def overviews(self, threshold: int) -> list[Overview]:
        """Of every file; `threshold` is that of the sample."""
        ...

    def number(self, numbering: Numbering) -> None:
        """Tell all how sources and patterns are numbered, before the first `total`."""
        ...

    def total(self, task: Task[SumsT]) -> SumsT:
        """The sums over all votes."""
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
        self._parts: dict[str, Part] = {}
        self._places: dict[str, Places] = {}

    def overviews(self, threshold: int) -> list[Overview]:
        """Of every file; `threshold` is that of the sample."""
        return [self._read(path, threshold)[1] for path in self._paths]

    def total(self, numbering: Numbering, task: Task[SumsT]) -> SumsT:
        """The sums over the votes of all files."""
        total = task.zero()
        for path in self._paths:
            part = self._parts.get(path) or self._read(path, 0)[0]
            task.add_part(part, self._places_of(path, part, numbering), total)
        return total

    def _read(self, path: str, threshold: int) -> tuple[Part, Overview]:
        file = read_votes(path)
        part = Part.of(file.votes, file.sources)
        if part.nbytes + sum(kept.nbytes for kept in self._parts.values()) <= self._memory:
            self._parts[path] = part
        return part, Overview.of(file, part, threshold)

    def _places_of(self, path: str, part: Part, numbering: Numbering) -> Places:
        if path not in self._places:
            self._places[path] = Places(
                places(part.sources, numbering.sources), part.patterns.places(numbering.patterns)
            )
        return self._places[path]


class LocalWorkers:
    """One worker, in this process."""

    def __init__(self, paths: Sequence[str], memory: int) -> None:
        """As for `Worker`."""
        self._worker = Worker(paths, memory)
        self._numbering = Numbering.empty()

    def overviews(self, threshold: int) -> list[Overview]:
        """Of every file; `threshold` is that of the sample."""
        return self._worker.overviews(threshold)

    def number(self, numbering: Numbering) -> None:
        """Tell the worker how sources and patterns are numbered."""
        self._numbering = numbering

    def total(self, task: Task[SumsT]) -> SumsT:
        """The sums over all votes."""
        return self._worker.total(self._numbering, task)

    def close(self) -> None:
        """Nothing to end."""
