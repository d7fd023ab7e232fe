"""Citations: verbatim quotes of the documents that an answer was read from."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from answering.passages import RetrievedPassage
from answering.readers import Location
from answering.voting import SourceReading
from registry.results.answer import Citation

# A sentence or two around the answer, not the whole passage.
QUOTE_CHARACTERS = 300


def cite_readings(
    supporters: Sequence[UUID], readings: Mapping[UUID, SourceReading], *, answer: str | None = None
) -> tuple[Citation, ...]:
    """The passage in which each supporter states its answer; `answer` names the one of several that is cited for."""
    citations = (
        cite(reading.passages, reading.answer or "", reading.location, for_answer=answer)
        for reading in (readings[source_id] for source_id in supporters)
    )
    return tuple(citation for citation in citations if citation is not None)


def cite(
    passages: Sequence[RetrievedPassage],
    answer: str,
    location: Location | None = None,
    *,
    for_answer: str | None = None,
) -> Citation | None:
    """A quote around the location of the answer; else around its first occurrence; else the start of the best passage.

    None without passages.
    """
    if not passages:
        return None
    passage, start, end = _locate(passages, answer, location)
    first, last = _quote_bounds(passage.content, start, end)
    return Citation(
        source_id=passage.source_id,
        document_id=passage.document_id,
        document_external_id=passage.external_id,
        title=passage.title,
        published_at=passage.published_at,
        start=passage.start + first,
        end=passage.start + last,
        quote=passage.content[first:last],
        answer=for_answer,
    )


def _locate(
    passages: Sequence[RetrievedPassage], answer: str, location: Location | None
) -> tuple[RetrievedPassage, int, int]:
    if location is not None:
        return passages[location.passage], location.start, location.end
    folded = answer.casefold()
    for passage in passages:
        at = passage.content.casefold().find(folded)
        # Casefolding may change lengths, and with them the offsets.
        if at >= 0 and passage.content[at : at + len(answer)].casefold() == folded:
            return passage, at, at + len(answer)
    return passages[0], 0, 0


def _quote_bounds(content: str, start: int, end: int) -> tuple[int, int]:
    """At most `QUOTE_CHARACTERS` around [start, end), cut at spaces."""
    if len(content) <= QUOTE_CHARACTERS:
        return 0, len(content)
    margin = max(QUOTE_CHARACTERS - (end - start), 0) // 2
    first, last = max(start - margin, 0), min(end + margin, len(content))
    if first > 0:
        first = content.find(" ", first, start) + 1 or first
    if last < len(content):
        space = content.rfind(" ", end, last)
        last = space if space > 0 else last
    return first, last
