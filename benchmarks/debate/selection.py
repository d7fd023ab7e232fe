"""The documents of the sources that kappa-RRSS selects by their given reliabilities, as the service does."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from answering.alignment import align
from answering.debates.protocol import SourceDocument
from answering.equivalence import answer_key
from answering.readers import Reader
from answering.voting import Electorate, ReadingStatus, SourceReading, select_sources
from benchmarks.data.ramdocs import RELIABILITIES, Question
from registry.platform.enums import SourceStatus
from registry.sources.reliabilities import Reliabilities, SourceReliability


async def with_selected_documents(reader: Reader, question: Question) -> Question:
    """The question with the documents of selected sources; a source that takes part in no debate is no candidate."""
    by_source: dict[str, list[SourceDocument]] = {}
    for document in question.documents:
        by_source.setdefault(str(document.source), []).append(document)
    electorate = operator_electorate(RELIABILITIES)
    numbers = {f"source {number}": UUID(int=number) for number in range(len(RELIABILITIES))}
    by_id = {numbers[source]: own for source, own in by_source.items()}
    candidates = [electorate.candidate(source) for source in by_id if electorate.takes_part(source)]

    async def read(batch: Sequence[UUID]) -> dict[UUID, SourceReading]:
        return {source: await _reading(reader, question, by_id[source]) for source in batch}

    selected = (await select_sources(candidates, read)).selected
    kept = {source for source, number in numbers.items() if number in selected}
    return replace(question, documents=tuple(document for document in question.documents if document.source in kept))


def operator_electorate(reliabilities: Sequence[float]) -> Electorate[UUID]:
    """That of a corpus of the service, without an estimation, whose operator set these reliabilities; sources are
    numbered from 0.
    """
    sources = [
        SourceReliability(
            source_id=UUID(int=number),
            external_id=str(number),
            name=str(number),
            status=SourceStatus.ACTIVE,
            reliability=reliability,
            estimated=None,
            lower=None,
            upper=None,
            weight=None,
            vote_count=0,
            copy_group=None,
            override=None,
        )
        for number, reliability in enumerate(reliabilities)
    ]
    return Reliabilities(None, tuple(sources)).electorate()


async def _reading(reader: Reader, question: Question, documents: Sequence[SourceDocument]) -> SourceReading:
    texts = [document.text for document in documents]
    answer = align((await reader.read(question.text, texts)).answer, texts).answer
    if answer is None:
        return SourceReading(ReadingStatus.ABSTAINED)
    return SourceReading(ReadingStatus.ANSWERED, answer_key(answer), answer)
