"""What `auto` knows of a question before it decides: readings, their vote, its certificate, what the judge says."""

from collections.abc import Sequence
from dataclasses import dataclass

from answering.alignment import align
from answering.debates import SourceDocument, VoteEvidence
from answering.equivalence import answer_key
from answering.judges import Judge, Label, Pair, claim_of
from answering.readers import Reader, Reading
from answering.voting.certificate import certify
from answering.voting.vote import Ballot, confidence, weighted_vote

PLAIN_RELIABILITY = 0.7


class MemoReader:
    """A reader that says the same of the same at once, with what it cost the first time."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._known: dict[tuple[str, ...], Reading] = {}
        self.name = reader.name
        self.prompt_hash = reader.prompt_hash

    async def read(self, question: str, passages: Sequence[str]) -> Reading:
        key = (question, *passages)
        if key not in self._known:
            self._known[key] = await self._reader.read(question, passages)
        return self._known[key]

    async def aclose(self) -> None:
        await self._reader.aclose()


@dataclass(frozen=True, slots=True)
class Known:
    """The evidence, and the seconds that reading took."""

    evidence: VoteEvidence[str]
    seconds: float


async def ballots_of(
    reader: Reader, question: str, documents: Sequence[SourceDocument]
) -> tuple[list[Ballot[str]], float]:
    """A vote a document that has an answer, and the seconds."""
    ballots, milliseconds = [], 0.0
    for document in documents:
        reading = await reader.read(question, [document.text])
        milliseconds += reading.usage.milliseconds
        answer = align(reading.answer, [document.text]).answer
        if answer is not None:
            ballots.append(Ballot(document.id, answer_key(answer), answer))
    return ballots, milliseconds / 1000


async def known_of(
    reader: Reader, judge: Judge, question: str, documents: Sequence[SourceDocument], *, told: bool
) -> Known:
    """Everything; `told` says whether the reliabilities of the sources are known, or all count the same."""
    ballots, seconds = await ballots_of(reader, question, documents)
    vote = weighted_vote(ballots)
    by_id = {one.id: one.reliability if told and one.reliability else PLAIN_RELIABILITY for one in documents}
    sure = confidence(ballots, {ballot.source_id: by_id[ballot.source_id] for ballot in ballots}, vote.winner)
    conflict = await _conflict(judge, question, vote.answer, documents)
    return Known(VoteEvidence(vote, certify(ballots), sure, conflict), seconds)


async def _conflict(
    judge: Judge, question: str, answer: str | None, documents: Sequence[SourceDocument]
) -> float | None:
    """The share of the documents that contradict the answer among those that speak on it."""
    if answer is None:
        return None
    claim = claim_of(question, answer)
    labels = [one.label for one in await judge.judge_all([Pair(claim, one.text) for one in documents])]
    speaking = [label for label in labels if label is not Label.IRRELEVANT]
    return sum(label is Label.CONTRADICTS for label in speaking) / len(speaking) if speaking else None
