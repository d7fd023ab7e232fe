"""A reader that answers in sentences, to compare with short answers (RA-RAG section 3.1)."""

from collections.abc import Sequence
from dataclasses import replace

from answering.judges.quotes import sentence_at
from answering.readers import Reader, Reading


class SentenceReader:
    """Answers with the sentences of the passage in which the answer of another reader stands."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.name = f"sentences:{reader.name}"
        self.prompt_hash = reader.prompt_hash

    async def read(self, question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> Reading:
        reading = await self._reader.read(question, passages, contexts)
        place = reading.location
        if reading.answer is None or place is None:
            return reading
        sentence = sentence_at(passages[place.passage], place.start, place.end)
        location = replace(place, start=sentence.start, end=sentence.end)
        return replace(reading, answer=sentence.text, location=location)

    async def aclose(self) -> None:
        await self._reader.aclose()
