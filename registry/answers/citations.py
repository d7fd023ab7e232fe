"""Where a source says so: quotes that stand verbatim in its documents."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from answering.passages import RetrievedPassage
from answering.readers import Location
from registry.answers.evidence import Heard
from registry.results.answer import Citation

# A quote is a sentence or two around the answer, not the whole passage.
QUOTE_CHARACTERS = 300


def citations(
    supporters: Sequence[UUID], heard: Mapping[UUID, Heard], *, of: str | None = None
) -> tuple[Citation, ...]:
    """For each supporter the passage that holds its answer, or its wording of the answer `of`."""
    found = (
        cite(heard[source_id].passages, heard[source_id].answer or "", heard[source_id].location, of=of)
        for source_id in supporters
    )
    return tuple(one for one in found if one is not None)


def cite(
    passages: Sequence[RetrievedPassage], answer: str, location: Location | None = None, *, of: str | None = None
) -> Citation | None:
    """The place the answer was copied from; else the first passage with it; else the best passage from its start.

    `of` is the answer that this is cited for, where there may be several.
    """
    if not passages:
        return None
    passage, start, end = _holding(passages, answer, location)
    first, last = _window(passage.content, start, end)
    return Citation(
        source_id=passage.source_id,
        document_id=passage.document_id,
        document_external_id=passage.external_id,
        title=passage.title,
        published_at=passage.published_at,
        start=passage.start + first,
        end=passage.start + last,
        quote=passage.content[first:last],
        answer=of,
    )


def _holding(
    passages: Sequence[RetrievedPassage], answer: str, location: Location | None
) -> tuple[RetrievedPassage, int, int]:
    if location is not None:
        return passages[location.passage], location.start, location.end
    for passage in passages:
        at = passage.content.casefold().find(answer.casefold())
        # Casefolding may change lengths; only where it does not are offsets of one those of the other.
        if at >= 0 and passage.content[at : at + len(answer)].casefold() == answer.casefold():
            return passage, at, at + len(answer)
    return passages[0], 0, 0


def _window(content: str, start: int, end: int) -> tuple[int, int]:
    """At most `QUOTE_CHARACTERS` around [start, end), cut at spaces."""
    if len(content) <= QUOTE_CHARACTERS:
        return 0, len(content)
    spare = max(QUOTE_CHARACTERS - (end - start), 0) // 2
    first, last = max(start - spare, 0), min(end + spare, len(content))
    if first > 0:
        first = content.find(" ", first, start) + 1 or first
    if last < len(content):
        cut = content.rfind(" ", end, last)
        last = cut if cut > 0 else last
    return first, last
