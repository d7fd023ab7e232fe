"""Runs a selection with a reader."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from answering.voting.early_stopping import Weights
from answering.voting.readings import SourceReading
from answering.voting.selection import Candidate, Selection, SelectionSettings, select
from answering.voting.voter import Source


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
