"""What `auto` decides on: the vote of the readings, its certificate, its confidence, and the conflict score."""

from collections.abc import Sequence
from dataclasses import dataclass

from answering.alignment import align
from answering.debates.auto import VoteEvidence
from answering.debates.protocol import SourceDocument
from answering.equivalence import answer_key
from answering.judges import Judge, Label, Pair, claim_of
from answering.readers import Reader, Reading
from answering.voting import CastVote, Electorate, Voter, certify

DEFAULT_RELIABILITY = 0.7
# Answers to a question, as in the simulation of RA-RAG section 4 (arXiv:2410.22954).
LABELS = 10


class CachingReader:
    """A reader that repeats known readings, with their first cost."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._readings: dict[tuple[str, ...], Reading] = {}
        self.name = reader.name
        self.prompt_hash = reader.prompt_hash

    async def read(self, question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> Reading:
        key = (question, *passages, *contexts)
        if key not in self._readings:
            self._readings[key] = await self._reader.read(question, passages, contexts)
        return self._readings[key]

    async def aclose(self) -> None:
        await self._reader.aclose()


@dataclass(frozen=True, slots=True)
class TimedEvidence:
    """The evidence, and the seconds of the readings."""

    evidence: VoteEvidence[str]
    seconds: float


async def read_votes(
    reader: Reader, question: str, documents: Sequence[SourceDocument]
) -> tuple[list[CastVote[str]], float]:
    """A vote for each document with an answer, and the seconds of all readings."""
    votes, milliseconds = [], 0.0
    for document in documents:
        reading = await reader.read(question, [document.text])
        milliseconds += reading.usage.milliseconds
        answer = align(reading.answer, [document.text]).answer
        if answer is not None:
            votes.append(CastVote(document.id, answer_key(answer), answer))
    return votes, milliseconds / 1000


async def evidence_for(
    reader: Reader, judge: Judge, question: str, documents: Sequence[SourceDocument], *, weighted: bool
) -> TimedEvidence:
    """The evidence; without `weighted` all sources have the same reliability."""
    votes, seconds = await read_votes(reader, question, documents)
    electorate = electorate_of(documents, weighted=weighted)
    count = electorate.count(votes)
    conflict = await _conflict(judge, question, count.vote.answer, documents)
    return TimedEvidence(VoteEvidence(count.vote, certify(electorate, votes), count.confidence, conflict), seconds)


def electorate_of(documents: Sequence[SourceDocument], *, weighted: bool) -> Electorate[str]:
    """Documents as voters that all weigh the same; the reliabilities count in the confidence."""
    voters = [
        Voter(document.id, document.reliability if weighted and document.reliability else DEFAULT_RELIABILITY)
        for document in documents
    ]
    prior = DEFAULT_RELIABILITY
    return Electorate(voters, prior=prior, prior_lower=prior, labels=LABELS, weigh=lambda *_: 1.0)


async def _conflict(
    judge: Judge, question: str, answer: str | None, documents: Sequence[SourceDocument]
) -> float | None:
    """The share of documents that contradict the answer among those that support or contradict it; None without any."""
    if answer is None:
        return None
    claim = claim_of(question, answer)
    judgements = await judge.judge_all([Pair(claim, document.text) for document in documents])
    labels = [judgement.label for judgement in judgements]
    relevant = [label for label in labels if label in (Label.SUPPORTS, Label.CONTRADICTS)]
    return sum(label is Label.CONTRADICTS for label in relevant) / len(relevant) if relevant else None
