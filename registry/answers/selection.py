"""kappa-RRSS over real sources: what the selection asks for is searched, read and aligned, batch by batch."""

from collections.abc import Collection, Sequence
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from answering.equivalence import ClassPolicy, answer_key
from answering.passages import RetrievedPassage
from answering.readers import Usage
from answering.voting.selection import Ranked, ReadingStatus, SelectionSettings, SourceReading, select
from registry.answers.evidence import Heard, Walked
from registry.estimation.collection import cast, check_reader, texts
from registry.inputs.answers import AnswerParameters, KappaCounts
from registry.models import Corpus
from registry.runtime import Runtime
from registry.store import passages
from registry.store.readings import CachedReader, Obtained, Origin

Vector = NDArray[np.float32]


class Walk:
    """One walk over the sources of a corpus for one question."""

    def __init__(self, runtime: Runtime, corpus: Corpus, question: str, vector: Vector, policy: ClassPolicy) -> None:
        self._runtime = runtime
        self._corpus = corpus
        self._question = question
        self._vector = vector
        self._policy = policy
        self._reader = CachedReader(runtime.require_reader(), runtime.database)
        self._heard: dict[UUID, Heard] = {}
        self._usage = Usage()
        self._cached = 0

    async def run(
        self, sources: Sequence[Ranked[UUID]], parameters: AnswerParameters, candidates: Collection[UUID] | None
    ) -> Walked:
        """Play the other side of the selection until it is content."""
        settings = SelectionSettings(
            kappa=parameters.kappa or self._runtime.settings.kappa,
            batch=parameters.batch,
            budget=parameters.max_readings,
            stop_early=parameters.stop_early,
            by_voice=parameters.kappa_counts is KappaCounts.VOICES,
        )
        selection = select(sources, settings, candidates)
        try:
            batch = next(selection)
            while True:
                batch = selection.send(await self._read(batch))
        except StopIteration as end:
            return Walked(end.value, self._heard, self._cached, self._usage)

    async def _read(self, source_ids: Sequence[UUID]) -> dict[UUID, SourceReading]:
        async with self._runtime.database.begin() as session:
            found = await passages.top_passages(
                session,
                self._corpus,
                source_ids,
                self._question,
                self._vector,
                self._runtime.settings.passages_per_source,
            )
        found = {source_id: some for source_id, some in found.items() if some}
        obtained = await self._reader.read_all(self._question, [texts(some) for some in found.values()])
        check_reader(obtained)
        by_source = dict(zip(found, obtained, strict=True))
        for one in obtained:
            self._count(one)
        return {
            source_id: self._reading(source_id, found.get(source_id, []), by_source.get(source_id))
            for source_id in source_ids
        }

    def _reading(self, source_id: UUID, found: Sequence[RetrievedPassage], obtained: Obtained | None) -> SourceReading:
        if obtained is None:
            self._heard[source_id] = Heard(None, ())
            return SourceReading(ReadingStatus.NO_PASSAGES)
        said = cast(source_id, found, obtained, self._runtime.settings.alignment_threshold)
        reading = obtained.reading
        self._heard[source_id] = Heard(
            said.answer,
            tuple(found),
            reading.location if reading else None,
            reading.confidence if reading else None,
        )
        if said.status is not ReadingStatus.ANSWERED or said.answer is None:
            return SourceReading(said.status)
        return SourceReading(said.status, answer_key(said.answer, self._policy), said.answer)

    def _count(self, obtained: Obtained) -> None:
        if obtained.reading is not None:
            self._usage += obtained.reading.usage
        self._cached += obtained.origin is Origin.CACHED
