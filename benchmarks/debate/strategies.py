"""The strategies that are compared, each with its answers to a question and their cost."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from answering.debates.astute import astute
from answering.debates.auto import DebateResources, decide, side_by_side
from answering.debates.concatenated import concatenated
from answering.debates.drag import drag
from answering.debates.driver import DebateLimits, run
from answering.debates.execution import Searcher, Services
from answering.debates.madam import madam
from answering.debates.no_rag import no_rag
from answering.debates.protocol import Debate, SourceDocument
from answering.debates.schema import (
    Action,
    AstuteParameters,
    AutoSettings,
    Chosen,
    ConsistencyParameters,
    DragParameters,
    FirstReading,
    MadamParameters,
    ReplyStatus,
    Seen,
    SourceLabels,
    StopReason,
    TurnKind,
    Unaggregated,
)
from answering.debates.self_consistency import self_consistency
from answering.errors import ModelError
from answering.judges import Judge
from answering.models import Chat
from answering.models.usage import Budget
from answering.readers import Reader
from answering.text import tokenize
from benchmarks.data.ramdocs import Question
from benchmarks.debate.evidence import electorate_of, evidence_for, read_votes
from benchmarks.debate.selection import with_selected_documents

SELECTED = "@selected"
VOTE, EVERY_READING, AUTO, MAJORITY = "vote", "every reading", "auto", "reader, majority"
NO_RAG, CONCATENATED = "no RAG", "concatenated"

MakeDebate = Callable[[str, Sequence[SourceDocument]], Debate]


def _madam(rounds: int, **parameters: Any) -> MakeDebate:  # noqa: ANN401  (validated)
    return lambda question, documents: madam(question, documents, MadamParameters(rounds=rounds, **parameters))


DEBATES: Mapping[str, MakeDebate] = {
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
    "madam T=3, replies": _madam(3, seen=Seen.REPLIES),
    "madam T=3, every": _madam(3, aggregator=False, unaggregated=Unaggregated.EVERY),
    "self-consistency, selected": lambda question, documents: self_consistency(
        question, documents, ConsistencyParameters(chosen=Chosen.SELECTED)
    ),
    "drag, no search": lambda question, documents: drag(question, documents, DragParameters(retrieval_rounds=0)),
}  # fmt: skip
WITHOUT_MODEL = (VOTE, MAJORITY, EVERY_READING)
"""Strategies that call no language model."""
ON_REQUEST = (
    "astute, no labels", "madam T=3, replies", "madam T=3, every", "self-consistency, selected", "drag, no search"
)  # fmt: skip
"""Strategies that run only where they are named."""
NAMES = (*WITHOUT_MODEL, *(name for name in DEBATES if name not in WITHOUT_MODEL), AUTO)


def with_selected_sources(names: Sequence[str]) -> list[str]:
    """The same strategies on the documents of selected sources; no RAG reads none."""
    return [f"{name}{SELECTED}" for name in names if name != NO_RAG]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Answers and their cost.

    `unreadable` counts agents without a reply that could be parsed; `complete` is False where time ran out or the model
    failed.
    """

    answers: tuple[str, ...]
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    unreadable: int = 0
    complete: bool = True
    search_calls: int = 0
    """Those of `calls` in which agents debated what to search for."""
    searches: int = 0


@dataclass(frozen=True, slots=True)
class DocumentSearch:
    """A search over the documents of the question, by shared words."""

    documents: Sequence[SourceDocument]

    async def search(self, query: str, *, limit: int, selected_only: bool) -> Sequence[SourceDocument]:
        words = set(tokenize(query))
        documents = self.documents if selected_only else ()
        return sorted(documents, key=lambda document: -len(words & set(tokenize(document.text))))[:limit]


@dataclass(frozen=True, slots=True)
class StrategyRunner:
    """The reader, judge and language model with which strategies are run."""

    reader: Reader
    judge: Judge
    chat: Chat | None
    debates: Mapping[str, MakeDebate] = field(default_factory=lambda: DEBATES)
    searcher: Searcher | None = None
    """Of debates that search; None searches the documents of the question."""

    async def aclose(self) -> None:
        for model in (self.reader, self.judge, self.chat):
            if model is not None:
                await model.aclose()

    async def outcome(self, name: str, question: Question, seconds: float, *, weighted: bool = False) -> Outcome:
        """The outcome of a strategy within a time limit; `weighted` says whether reliabilities of sources count."""
        if name.endswith(SELECTED):
            chosen = await with_selected_documents(self.reader, question)
            return await self.outcome(name.removesuffix(SELECTED), chosen, seconds, weighted=True)
        if name in {VOTE, EVERY_READING}:
            return await self._vote(question, every=name == EVERY_READING)
        if name == AUTO:
            return await self._auto(question, seconds, weighted=weighted)
        return await self._debate(name, question, seconds)

    async def _debate(self, name: str, question: Question, seconds: float) -> Outcome:
        services = Services(self.chat, self.reader, self.searcher or DocumentSearch(question.documents))
        limits = DebateLimits(Budget(seconds=seconds), concurrency=1, timeout=max(seconds, 1.0))
        try:
            done = await run(self.debates[name](question.text, question.documents), services, limits)
        except ModelError:
            return Outcome((), complete=False)
        lost = {ReplyStatus.FAILED, ReplyStatus.OUT_OF_BUDGET} & {turn.status for turn in done.transcript}
        return Outcome(
            answers=tuple(proposal.answer for proposal in done.answers),
            calls=done.usage.model_calls,
            tokens=done.usage.input_tokens + done.usage.output_tokens,
            seconds=done.usage.milliseconds / 1000,
            unreadable=sum(turn.status is ReplyStatus.UNREADABLE for turn in done.transcript),
            complete=not lost and done.stop_reason is not StopReason.OUT_OF_BUDGET,
            search_calls=sum(turn.usage.model_calls for turn in done.transcript if turn.agent.startswith("search ")),
            searches=sum(turn.kind is TurnKind.SEARCH for turn in done.transcript),
        )

    async def _vote(self, question: Question, *, every: bool) -> Outcome:
        """The majority of the readings, every document a source of its own; or every answer."""
        votes, seconds = await read_votes(self.reader, question.text, question.documents)
        vote = electorate_of(question.documents, weighted=False).count(votes).vote
        voted = (vote.answer,) if vote.answer is not None else ()
        return Outcome(tuple(line.answer for line in vote.tally) if every else voted, seconds=seconds)

    async def _auto(self, question: Question, seconds: float, *, weighted: bool) -> Outcome:
        """The strategy `auto` with its default settings."""
        timed = await evidence_for(self.reader, self.judge, question.text, question.documents, weighted=weighted)
        vote = timed.evidence.vote
        action = decide(timed.evidence, DebateResources(model=True)).action
        if action is Action.DEBATE:
            debated = await self._debate(CONCATENATED, question, seconds)
            return replace(debated, seconds=debated.seconds + timed.seconds)
        lines = side_by_side(vote, AutoSettings().least_share) if action is Action.SIDE_BY_SIDE else vote.tally[:1]
        return Outcome(tuple(line.answer for line in lines), seconds=timed.seconds)
