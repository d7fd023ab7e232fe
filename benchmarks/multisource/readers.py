"""Readers around others: one that answers in sentences, and one with which the cost of a language model is foretold."""

from collections.abc import Sequence
from dataclasses import replace

from answering.judges.quotes import sentence_at
from answering.readers import Reader, Reading


class SentenceReader:
    """Answers with the sentences of the passage in which another reader's answer stands (RA-RAG section 3.1)."""

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


class RehearsingReader:
    """Asks one reader and answers with the readings of another, so that everything after the reading goes on."""

    def __init__(self, asked: Reader, answering: Reader) -> None:
        self._asked = asked
        self._answering = answering
        self.name = f"rehearsal:{asked.name}"
        self.prompt_hash = asked.prompt_hash

    async def read(self, question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> Reading:
        await self._asked.read(question, passages, contexts)
        return await self._answering.read(question, passages, contexts)

    async def aclose(self) -> None:
        await self._asked.aclose()
        await self._answering.aclose()
