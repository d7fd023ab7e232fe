"""The workers that read the votes and add them up: each has some of the files, the driver asks them all."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np

from estimator.distributed.parts import Part
from estimator.distributed.summary import FileSummary, Grouping, Numbering, VoteCounts
from estimator.distributed.tasks import AnswerRule, Choices, Expectation, ExpectedSums, Places, SumsT, Task
from estimator.distributed.values import places
from estimator.distributed.vote_files import Table, answer_table, read_votes

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The numbers of sources and patterns, and the copy groups that take the place of sources."""

    numbering: Numbering
    grouping: Grouping | None = None


class Workers(Protocol):
    """All workers together. What they are asked is a method of `Worker`, with its arguments."""

    def shared(self, value: Any) -> Any:  # noqa: ANN401 - any argument
        """A reference to an argument of several calls, so that it goes to each worker once."""
        ...

    def by_worker(self, method: Callable[..., ResultT], *arguments: object) -> Iterator[ResultT]: ...

    def by_file(self, method: Callable[..., ResultT], *arguments: object) -> Iterator[ResultT]:
        """The results for all files, each by its worker, given the path first; in the order of the files."""
        ...

    def close(self) -> None: ...


class Worker:
    """Adds up the votes of some files.

    Everything it keeps can be read again, so that one that starts anew in the middle goes on after it has read its
    files.
    """

    def __init__(self, paths: Sequence[str], memory: int) -> None:
        """The files, and the bytes that their votes may take between rounds; files beyond are read in every round."""
        self._paths, self._memory = paths, memory
        self._kept: dict[str, _Kept] = {}

    def summary(self, path: str, threshold: int) -> FileSummary:
        """The summary of a file; `threshold` is that of the sample."""
        file = read_votes(path)
        part = Part.of(file.votes, file.sources)
        self._keep(path, _Kept(part))
        return FileSummary.of(file, part, threshold)

    def group(self, path: str, grouping: Grouping) -> VoteCounts:
        """Group the votes of a file, once copy groups are in the place of sources."""
        return VoteCounts.of(self._load(path, grouping).part)

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
        grouping = layout.grouping
        if grouping is None:
            raise ValueError("there are members of copy groups only where sources are grouped")
        total = task.zero(grouping.groups.size)
        for path in self._paths:
            part = _read(path)
            at = places(part.sources, grouping.sources)
            grouped, classes = part.grouped(grouping.groups[at])
            right = np.zeros(part.class_votes.size)
            right[classes] = task.probabilities(grouped, _places(grouped, layout.numbering))
            task.add_members(part, at, right, total)
        return total

    def answers(self, path: str, layout: Layout, rule: AnswerRule) -> Table:
        """The answers to the queries of a file, which is read again, as `answer_table`."""
        file = read_votes(path)
        part, classes = Part.of(file.votes, file.sources), np.arange(file.votes.class_count)
        if layout.grouping is not None:
            at = places(part.sources, layout.grouping.sources)
            part, classes = part.grouped(layout.grouping.groups[at])
        found = Choices.joined(rule.choices(part, _places(part, layout.numbering)))
        winner = found.winner.copy()
        winner[winner >= 0] = classes[winner[winner >= 0]]
        return answer_table(file, winner, confidence=found.confidence, lead=found.lead, tied=found.tied)

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
    """The data that a worker keeps of a file."""

    part: Part
    is_grouped: bool = False
    places: Places | None = None


def _read(path: str) -> Part:
    file = read_votes(path)
    return Part.of(file.votes, file.sources)


def _places(part: Part, numbering: Numbering) -> Places:
    return Places(places(part.sources, numbering.sources), part.patterns.places(numbering.patterns))


class LocalWorkers:
    def __init__(self, paths: Sequence[str], memory: int) -> None:
        """The parameters are those of `Worker`."""
        self._paths, self._worker = paths, Worker(paths, memory)

    def shared(self, value: Any) -> Any:  # noqa: ANN401 - any argument
        return value

    def by_worker(self, method: Callable[..., ResultT], *arguments: object) -> Iterator[ResultT]:
        yield method(self._worker, *arguments)

    def by_file(self, method: Callable[..., ResultT], *arguments: object) -> Iterator[ResultT]:
        return (method(self._worker, path, *arguments) for path in self._paths)

    def close(self) -> None:
        """Nothing to end."""


class Stage(StrEnum):
    """The stage of the workers."""

    READING = "reading"
    ROUNDS = "rounds"
    ANSWERING = "answering"


Progress: TypeAlias = Callable[[Stage, int], None]
"""Called with what is done of a stage: files that were read or whose queries are answered, or rounds."""


class Driver:
    def __init__(self, workers: Workers, progress: Progress) -> None:
        self._workers, self._progress = workers, progress
        self._layout: Any = None
        self._rounds = 0

    def summaries(self, threshold: int) -> list[FileSummary]:
        """The summaries of all files; `threshold` is that of the sample."""
        return list(self._counted(Stage.READING, self._workers.by_file(Worker.summary, threshold)))

    def group(self, grouping: Grouping) -> list[VoteCounts]:
        """Group the votes of every file, once copy groups are in the place of sources."""
        return list(self._workers.by_file(Worker.group, self._workers.shared(grouping)))

    def lay_out(self, numbering: Numbering, grouping: Grouping | None = None) -> None:
        """Tell how sources and patterns are numbered, before the first sums."""
        self._layout = self._workers.shared(Layout(numbering, grouping))

    def total(self, task: Task[SumsT]) -> SumsT:
        return self._sum(Worker.total, task, task.zero())

    def member_total(self, task: Expectation, members: int) -> ExpectedSums:
        """The sums over the votes of all members of copy groups."""
        return self._sum(Worker.member_total, task, task.zero(members))

    def answers(self, rule: AnswerRule) -> Iterator[Table]:
        """The answers of every file, as `answer_table`."""
        tables = self._workers.by_file(Worker.answers, self._layout, self._workers.shared(rule))
        return self._counted(Stage.ANSWERING, tables)

    def _sum(self, method: Callable[..., SumsT], task: Task[SumsT], total: SumsT) -> SumsT:
        for sums in self._workers.by_worker(method, self._layout, self._workers.shared(task)):
            total.add(sums)
        self._rounds += 1
        self._progress(Stage.ROUNDS, self._rounds)
        return total

    def _counted(self, stage: Stage, results: Iterator[ResultT]) -> Iterator[ResultT]:
        for done, result in enumerate(results, start=1):
            self._progress(stage, done)
            yield result
