"""What is compared: each strategy answers a question from some documents, and says what it cost."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from answering.debates import (
    DebateLimits,
    Services,
    SourceDocument,
    astute,
    concatenated,
    decide,
    drag,
    madam,
    no_rag,
    run,
    self_consistency,
    side_by_side,
)
from answering.debates.astute import AstuteParameters, SourceLabels
from answering.debates.auto import Action
from answering.debates.drag import DragParameters
from answering.debates.madam import FirstReading, MadamParameters
from answering.debates.protocol import Debate, ReplyStatus, StopReason
from answering.errors import ModelError
from answering.judges import Judge
from answering.models import Chat
from answering.models.usage import Budget
from answering.readers import Reader
from answering.text import tokenize
from answering.voting.vote import weighted_vote
from benchmarks.data.ramdocs import Question
from benchmarks.debate.evidence import ballots_of, known_of
from benchmarks.debate.selection import selected
from benchmarks.debate.thresholds import MODEL

SELECTED = "@selected"
VOTE, EVERY, AUTO, MAJORITY = "vote", "every reading", "auto", "reader, majority"
NO_RAG, CONCATENATED = "no RAG", "concatenated"

Maker = Callable[[str, Sequence[SourceDocument]], Debate]


def _madam(rounds: int, *, aggregator: bool = True, first: FirstReading = FirstReading.AGENTS) -> Maker:
    return lambda question, documents: madam(
        question, documents, MadamParameters(rounds=rounds, aggregator=aggregator, first=first)
    )


DEBATES: Mapping[str, Maker] = {
    NO_RAG: lambda question, _documents: no_rag(question),
    CONCATENATED: concatenated,
    "self-consistency": self_consistency,
    "madam reader T=1": _madam(1, first=FirstReading.READER),
    MAJORITY: _madam(1, aggregator=False, first=FirstReading.READER),
    "madam T=1": _madam(1),
    "madam T=1, majority": _madam(1, aggregator=False),
    "madam T=2": _madam(2),
    "madam T=2, majority": _madam(2, aggregator=False),
    "madam T=3": _madam(3),
    "madam T=3, majority": _madam(3, aggregator=False),
    "astute": astute,
    "drag": drag,
    "astute, no labels": lambda question, documents: astute(
        question, documents, AstuteParameters(labels=SourceLabels.NONE)
    ),
    "drag, no search": lambda question, documents: drag(question, documents, DragParameters(retrieval_rounds=0)),
}  # fmt: skip
FREE = (VOTE, MAJORITY, EVERY)
"""Ask no language model."""
MORE = ("astute, no labels", "drag, no search")
"""Run only where they are named."""
NAMES = (*FREE, *(name for name in DEBATES if name not in FREE), AUTO)


def on_selected(names: Sequence[str]) -> list[str]:
    """The same on the documents of selected sources alone, where there are documents."""
    return [f"{name}{SELECTED}" for name in names if name != NO_RAG]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Answers and their cost; `unreadable` counts agents of whom no reply could be read; `whole` is False where the
    time ended first or a reply could not be had.
    """

    answers: tuple[str, ...]
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    unreadable: int = 0
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Shelf:
    """A search over the question's own documents, by shared words."""

    documents: Sequence[SourceDocument]

    async def search(self, query: str, *, limit: int, selected_only: bool) -> Sequence[SourceDocument]:
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

    async def outcome(self, name: str, question: Question, seconds: float, *, told: bool = False) -> Outcome:
        """What the strategy answers, in so many seconds at most; `told` is whether sources are known."""
        if name.endswith(SELECTED):
            chosen = await selected(self.reader, question)
            return await self.outcome(name.removesuffix(SELECTED), chosen, seconds, told=True)
        if name in {VOTE, EVERY}:
            return await self._vote(question, every=name == EVERY)
        if name == AUTO:
            return await self._auto(question, seconds, told=told)
        return await self._debate(name, question, seconds)

    async def _debate(self, name: str, question: Question, seconds: float) -> Outcome:
        services = Services(self.chat, self.reader, Shelf(question.documents))
        limits = DebateLimits(Budget(seconds=seconds), concurrency=1, timeout=max(seconds, 1.0))
        try:
            done = await run(DEBATES[name](question.text, question.documents), services, limits)
        except ModelError:
            return Outcome((), whole=False)
        lost = {ReplyStatus.FAILED, ReplyStatus.OUT_OF_BUDGET} & {turn.status for turn in done.transcript}
        return Outcome(
            answers=tuple(one.answer for one in done.answers),
            calls=done.usage.model_calls,
            tokens=done.usage.input_tokens + done.usage.output_tokens,
            seconds=done.usage.milliseconds / 1000,
            unreadable=sum(turn.status is ReplyStatus.UNREADABLE for turn in done.transcript),
            whole=not lost and done.stop_reason is not StopReason.OUT_OF_BUDGET,
        )

    async def _vote(self, question: Question, *, every: bool) -> Outcome:
        """The majority of the reader's readings, every document a source of its own; or every one of the answers."""
        ballots, seconds = await ballots_of(self.reader, question.text, question.documents)
        vote = weighted_vote(ballots)
        voted = (vote.answer,) if vote.answer is not None else ()
        return Outcome(tuple(line.answer for line in vote.tally) if every else voted, seconds=seconds)

    async def _auto(self, question: Question, seconds: float, *, told: bool) -> Outcome:
        """As the service has it by default."""
        known = await known_of(self.reader, self.judge, question.text, question.documents, told=told)
        vote = known.evidence.vote
        action = decide(known.evidence, MODEL).action
        if action is Action.DEBATE:
            debated = await self._debate(CONCATENATED, question, seconds)
            return replace(debated, seconds=debated.seconds + known.seconds)
        lines = side_by_side(vote) if action is Action.SIDE_BY_SIDE else vote.tally[:1]
        return Outcome(tuple(line.answer for line in lines), seconds=known.seconds)
