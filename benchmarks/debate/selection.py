"""The documents of the sources that kappa-RRSS selects by their given reliabilities."""

from collections.abc import Sequence
from dataclasses import replace

from answering.alignment import align
from answering.debates import SourceDocument
from answering.equivalence import answer_key
from answering.readers import Reader
from answering.voting import Electorate, ReadingStatus, SourceReading, Voter, select_sources
from benchmarks.data.ramdocs import RELIABILITIES, Question
from estimator.weights import accuracy_weight


async def with_selected_documents(reader: Reader, question: Question) -> Question:
    """The question with the documents of selected sources; a source that takes part in no debate is no candidate."""
    by_source: dict[str, list[SourceDocument]] = {}
    for document in question.documents:
        by_source.setdefault(str(document.source), []).append(document)
    electorate = Electorate(
        [Voter(source, own[0].reliability or 0.0) for source, own in by_source.items()],
        prior=0.0,
        prior_lower=0.0,
        weigh=lambda reliability: accuracy_weight(reliability, len(RELIABILITIES)),
    )
    candidates = [electorate.candidate(source) for source in by_source if electorate.takes_part(source)]

    async def read(batch: Sequence[str]) -> dict[str, SourceReading]:
        return {source: await _reading(reader, question, by_source[source]) for source in batch}

    selected = (await select_sources(candidates, read)).selected
    return replace(
        question, documents=tuple(document for document in question.documents if document.source in selected)
    )


async def _reading(reader: Reader, question: Question, documents: Sequence[SourceDocument]) -> SourceReading:
    texts = [document.text for document in documents]
    answer = align((await reader.read(question.text, texts)).answer, texts).answer
    if answer is None:
        return SourceReading(ReadingStatus.ABSTAINED)
    return SourceReading(ReadingStatus.ANSWERED, answer_key(answer), answer)
