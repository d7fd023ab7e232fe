"""Runs a selection: with a reader, or with readings that were made before."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from answering.voting.readings import SourceReading
from answering.voting.selection import Candidate, Selection, SelectionSettings, Source, select


async def select_sources(
    sources: Sequence[Candidate[Source]],
    read: Callable[[Sequence[Source]], Awaitable[Mapping[Source, SourceReading]]],
    settings: SelectionSettings | None = None,
) -> Selection[Source]:
    """Run `select`, reading every batch it asks for with `read`. Raises what `select` and `read` raise.

    >>> import asyncio
    >>> from answering.voting.readings import ReadingStatus
    >>> async def read(sources):
    ...     return {source: SourceReading(ReadingStatus.ABSTAINED) for source in sources}
    >>> selection = asyncio.run(select_sources([Candidate("herald", 0.9)], read))
    >>> dict(selection.rejected)
    {'herald': <RejectionReason.ABSTAINED: 'abstained'>}
    """
    steps = select(sources, settings)
    try:
        batch = next(steps)
        while True:
            batch = steps.send(await read(batch))
    except StopIteration as end:
        selection: Selection[Source] = end.value
        return selection


def select_from(
    readings: Mapping[Source, SourceReading],
    sources: Sequence[Candidate[Source]],
    settings: SelectionSettings | None = None,
) -> Selection[Source]:
    """Run `select` over readings that were made before. Raises what `select` raises.

    >>> from answering.voting.readings import ReadingStatus
    >>> answered = SourceReading(ReadingStatus.ANSWERED, "text:oslo", "Oslo")
    >>> readings = {"herald": answered, "gazette": SourceReading(ReadingStatus.ABSTAINED), "blog": answered}
    >>> sources = [Candidate("blog", 0.4), Candidate("gazette", 0.7), Candidate("herald", 0.9)]
    >>> selection = select_from(readings, sources, SelectionSettings(kappa=1))
    >>> selection.selected, dict(selection.rejected)
    (('herald',), {'gazette': <RejectionReason.NOT_REACHED: 'not_reached'>, 'blog': <RejectionReason.NOT_REACHED: ...>})
    """
    steps = select(sources, settings)
    try:
        batch = next(steps)
        while True:
            batch = steps.send({source: readings[source] for source in batch})
    except StopIteration as end:
        selection: Selection[Source] = end.value
        return selection
