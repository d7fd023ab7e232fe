"""What is compared: each strategy answers a question from some documents, and says what it cost."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from answering.alignment import align
from answering.budget import Budget
from answering.certificate import certify
from answering.chats import Chat
from answering.classes import answer_key
from answering.debates import (
    Action,
    AstuteSettings,
    Debate,
    DebateLimits,
    Document,
    DragSettings,
    Evidence,
    FirstReading,
    MadamSettings,
    Means,
    Services,
    SourceLabels,
    StopReason,
    astute,
    concatenated,
    decide,
    drag,
    madam,
    no_rag,
    run,
    self_consistency,
)
from answering.judges import Judge, Label, Pair, claim_of
from answering.readers import Reader
from answering.selection import Ranked, ReadingStatus, SourceReading, select
from answering.text import tokenize
from answering.vote import Ballot, confidence, weighted_vote
from benchmarks.debate.questions import RELIABILITIES, Question

SELECTED = "@selected"
PLAIN_RELIABILITY = 0.7
VOTE, EVERY, AUTO, AUTO_DEBATE = "vote", "every reading", "auto", "madam reader T=1"

Maker = Callable[[str, Sequence[Document]], Debate]


def _madam(rounds: int, *, aggregator: bool = True, first: FirstReading = FirstReading.AGENTS) -> Maker:
    return lambda question, documents: madam(
        question, documents, MadamSettings(rounds=rounds, aggregator=aggregator, first=first)
    )


DEBATES: Mapping[str, Maker] = {
    "no RAG": lambda question, _documents: no_rag(question),
    "concatenated": concatenated,
    AUTO_DEBATE: _madam(1, first=FirstReading.READER),
    "madam reader T=1, majority": _madam(1, aggregator=False, first=FirstReading.READER),
    "madam T=1": _madam(1),
    "madam T=1, majority": _madam(1, aggregator=False),
    "madam T=2": _madam(2),
    "madam T=2, majority": _madam(2, aggregator=False),
    "madam T=3": _madam(3),
    "madam T=3, majority": _madam(3, aggregator=False),
    "astute": astute,
    "astute, no labels": lambda question, documents: astute(
        question, documents, AstuteSettings(labels=SourceLabels.NONE)
    ),
    "drag": drag,
    "drag, no search": lambda question, documents: drag(question, documents, DragSettings(retrieval_rounds=0)),
    "self-consistency": self_consistency,
}  # fmt: skip
NAMES = (VOTE, EVERY, *DEBATES, AUTO)
ON_SELECTED = (VOTE, EVERY, "concatenated", AUTO_DEBATE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Answers and their cost; `whole` is False where the time ended first. `why` is what `auto` decided by."""

    answers: tuple[str, ...]
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    whole: bool = True
    why: Mapping[str, float | str | None] | None = None


@dataclass(frozen=True, slots=True)
class Shelf:
    """A search over the question's own documents, by shared words."""

    documents: Sequence[Document]

    async def search(self, query: str, *, limit: int, selected_only: bool) -> Sequence[Document]:
        words = set(tokenize(query))
        found = self.documents if selected_only else ()
        return sorted(found, key=lambda one: -len(words & set(tokenize(one.text))))[:limit]


@dataclass(frozen=True, slots=True)
class Bench:
    """Who reads, judges and debates."""

    reader: Reader
    judge: Judge
    chat: Chat | None

    async def aclose(self) -> None:
        for one in (self.reader, self.judge, self.chat):
            if one is not None:
                await one.aclose()

    async def outcome(self, name: str, question: Question, seconds: float) -> Outcome:
        """What the strategy answers, in so many seconds at most."""
        if name.endswith(SELECTED):
            chosen = await self._selected(question)
            return await self.outcome(name.removesuffix(SELECTED), replace(question, documents=chosen), seconds)
        if name in {VOTE, EVERY}:
            return await self._vote(question, every=name == EVERY)
        if name == AUTO:
            return await self._auto(question, seconds)
        shelf = Shelf(question.documents)
        services = Services(self.chat, self.reader, shelf)
        limits = DebateLimits(Budget(seconds=seconds), concurrency=1, timeout=max(seconds, 1.0))
        done = await run(DEBATES[name](question.text, question.documents), services, limits)
        return Outcome(
            answers=tuple(one.answer for one in done.answers),
            calls=done.usage.model_calls,
            tokens=done.usage.input_tokens + done.usage.output_tokens,
            seconds=done.usage.milliseconds / 1000,
            whole=done.stop_reason is not StopReason.OUT_OF_BUDGET,
        )

    async def _vote(self, question: Question, *, every: bool) -> Outcome:
        """The majority of the reader's readings, every document a source of its own; or every one of the answers."""
        ballots, seconds = await self._ballots(question)
        vote = weighted_vote(ballots)
        voted = (vote.answer,) if vote.answer is not None else ()
        return Outcome(tuple(line.answer for line in vote.tally) if every else voted, seconds=seconds)

    async def _auto(self, question: Question, seconds: float) -> Outcome:
        ballots, spent = await self._ballots(question)
        vote = weighted_vote(ballots)
        reliabilities = {ballot.source_id: PLAIN_RELIABILITY for ballot in ballots}
        sure = confidence(ballots, reliabilities, vote.winner)
        certificate = certify(ballots)
        conflict = await self._conflict(question, vote.answer)
        decided = decide(Evidence(vote, certificate, sure, conflict), Means(model=True))
        why: dict[str, float | str | None] = {
            "action": str(decided.action),
            "classes": float(len(vote.tally)),
            "margin": vote.margin,
            "certificate": None if certificate.size is None else float(certificate.size),
            "confidence": sure,
            "conflict": conflict,
        }
        if decided.action is Action.DEBATE:
            debated = await self.outcome(AUTO_DEBATE, question, seconds)
            return replace(debated, seconds=debated.seconds + spent, why=why)
        voted = decided.action is Action.VOTE and vote.answer is not None
        return Outcome((str(vote.answer),) if voted else (), seconds=spent, why=why)

    async def _ballots(self, question: Question) -> tuple[list[Ballot[str]], float]:
        ballots, milliseconds = [], 0.0
        for document in question.documents:
            reading = await self.reader.read(question.text, [document.text])
            milliseconds += reading.usage.milliseconds
            answer = align(reading.answer, [document.text]).answer
            if answer is not None:
                ballots.append(Ballot(document.id, answer_key(answer), answer))
        return ballots, milliseconds / 1000

    async def _conflict(self, question: Question, answer: str | None) -> float | None:
        """The share of the documents that contradict the answer among those that speak on it."""
        if answer is None:
            return None
        claim = claim_of(question.text, answer)
        labels = [
            one.label for one in await self.judge.judge_all([Pair(claim, one.text) for one in question.documents])
        ]
        speaking = [label for label in labels if label is not Label.IRRELEVANT]
        return sum(label is Label.CONTRADICTS for label in speaking) / len(speaking) if speaking else None

    async def _selected(self, question: Question) -> tuple[Document, ...]:
        """The documents of the sources that kappa-RRSS selects among those whose vote would count anything."""
        by_source: dict[str, list[Document]] = {}
        for document in question.documents:
            by_source.setdefault(str(document.source), []).append(document)
        ranked = [
            Ranked(source, own[0].reliability or 0.0)
            for source, own in by_source.items()
            if len(RELIABILITIES) * (own[0].reliability or 0.0) > 1.0
        ]
        walk = select(ranked)
        try:
            batch = next(walk)
            while True:
                batch = walk.send({source: await self._reading(question, by_source[source]) for source in batch})
        except StopIteration as end:
            chosen = {one.source.id for one in end.value.selected}
            return tuple(document for document in question.documents if document.source in chosen)

    async def _reading(self, question: Question, documents: Sequence[Document]) -> SourceReading:
        texts = [document.text for document in documents]
        answer = align((await self.reader.read(question.text, texts)).answer, texts).answer
        if answer is None:
            return SourceReading(ReadingStatus.ABSTAINED)
        return SourceReading(ReadingStatus.ANSWERED, answer_key(answer), answer)
