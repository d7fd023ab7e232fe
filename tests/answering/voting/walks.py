"""Candidates and readings for kappa-RRSS, and its walk played against them."""

from collections.abc import Callable, Generator, Mapping, Sequence

from answering.enums import ReadingStatus
from answering.voting.electorate import Electorate
from answering.voting.readings import SourceReading
from answering.voting.selection import Candidate, Selection
from answering.voting.voter import Voter

ABSTAINED = SourceReading(ReadingStatus.ABSTAINED)
NO_PASSAGES = SourceReading(ReadingStatus.NO_PASSAGES)
MISALIGNED = SourceReading(ReadingStatus.MISALIGNED)
FAILED = SourceReading(ReadingStatus.FAILED)
World = Mapping[str, SourceReading]


def says(answer: str) -> SourceReading:
    return SourceReading(ReadingStatus.ANSWERED, answer, answer.upper())


def sources(*reliabilities: float) -> list[Candidate[str]]:
    return [Candidate(f"s{at}", reliability) for at, reliability in enumerate(reliabilities)]


def weighing(*weights: float) -> Electorate[str]:
    """Sources whose votes weigh so much."""
    voters = [Voter(f"s{at}", weight) for at, weight in enumerate(weights)]
    return Electorate(voters, prior=0.6, prior_lower=0.5, labels=10, weigh=lambda weight, _: weight)


def play(
    walk: Generator[tuple[str, ...], Mapping[str, SourceReading], Selection[str]],
    world: World,
    arrange: Callable[[list[str]], Sequence[str]] = list,
) -> tuple[Selection[str], list[tuple[str, ...]]]:
    """Answer every request from the world, the readings of a batch arriving in the order of `arrange`."""
    batches: list[tuple[str, ...]] = []
    try:
        batch = next(walk)
        while True:
            batches.append(batch)
            batch = walk.send({source: world[source] for source in arrange(list(batch))})
    except StopIteration as stop:
        result: Selection[str] = stop.value
        return result, batches


def ids(selection: Selection[str]) -> list[str]:
    return list(selection.selected)


def reasons(selection: Selection[str]) -> dict[str, str]:
    return {source: reason.value for source, reason in selection.rejected.items()}
