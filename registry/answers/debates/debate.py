"""One debate over the documents of the selected sources, within the budget of the question."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any
from uuid import UUID

from answering.debates.driver import DebateEnded, DebateLimits, Event, TurnBegan, run
from answering.debates.execution import Services
from answering.debates.protocol import DebateResult, Turn
from answering.debates.schema import ReplyStatus, StopReason
from answering.debates.support import AnswerPolicy
from answering.models.usage import Budget
from answering.passages import RetrievedPassage
from registry.answers.debate_schemas import DebateAnswerView, DebateDocument, DebateUsage, DebateView, TurnView
from registry.answers.debates.documents import CorpusSearch, DocumentPool, DocumentReader, PooledDocument
from registry.answers.evidence import Evidence
from registry.answers.question import Progress, QuestionContext
from registry.answers.schemas import Strategy
from registry.platform.database.base import Json
from registry.platform.fields import storable
from registry.platform.providers import ATTEMPTS

# The waits between the attempts at one request.
RETRY_WAIT_SECONDS = 30.0
SHOWN_CHARACTERS = 300
# Kept back from the time of an answer for what follows its debate.
RESERVED_SECONDS = 1.0
# The time of a debate, unless its question says.
DEBATE_SECONDS = 100.0
REMEMBERED = "No document supports an answer: it comes from the memory of the language model."


@dataclass(frozen=True, slots=True)
class HeldDebate:
    """A debate that has ended, with the documents it was held over."""

    result: DebateResult
    documents: Mapping[str, PooledDocument]
    view: DebateView
    notes: tuple[str, ...]
    """Limits that it reached, and replies that it lost."""

    @property
    def passages(self) -> tuple[RetrievedPassage, ...]:
        return tuple(passage for document in self.documents.values() for passage in document.passages)


async def _report(progress: Progress, event: Event) -> None:
    """Report the begin and the end of a turn; the end of the debate comes with the answer."""
    if isinstance(event, TurnBegan):
        await progress("turn_began", asdict(event))
    elif not isinstance(event, DebateEnded):
        await progress("turn_ended", _turn_data(event.turn))


def _turn_data(turn: Turn) -> Json:
    reply = " ".join(storable(turn.said).split())
    return {
        "agent": turn.agent,
        "round": turn.round,
        "kind": turn.kind,
        "status": turn.status,
        "said": reply if len(reply) <= SHOWN_CHARACTERS else reply[: SHOWN_CHARACTERS - 1] + "…",
        "model_calls": turn.usage.model_calls,
        "input_tokens": turn.usage.input_tokens,
        "output_tokens": turn.usage.output_tokens,
    }


def debate_budget(context: QuestionContext) -> Budget:
    """The budget that the limits of the question or the settings leave for a debate, less one second."""
    left, limit = context.meter.remaining, context.parameters.max_seconds
    seconds = DEBATE_SECONDS if limit is None else limit
    most = context.runtime.settings.answer_timeout_seconds - context.seconds - RESERVED_SECONDS
    return Budget(left.calls, left.tokens, min(seconds, max(0.0, most)))


async def affordable_debate(context: QuestionContext) -> Budget:
    """The budget of a debate, and never more than the API key has left."""
    budget = debate_budget(context)
    quota = await context.account.left() if context.account is not None else Budget()
    return Budget(_smaller(budget.calls, quota.calls), _smaller(budget.tokens, quota.tokens), budget.seconds)


def _smaller(first: int | None, second: int | None) -> int | None:
    return min((limit for limit in (first, second) if limit is not None), default=None)


async def hold_debate(context: QuestionContext, evidence: Evidence) -> HeldDebate:
    """Hold the debate that the parameters name. Raises `ModelError` if the language model never replied."""
    runtime, parameters = context.runtime, context.parameters
    chat = runtime.require_chat()
    strategy = parameters.debate_strategy(answered=bool(evidence.count.ballots))
    definition, chosen = strategy.definition, parameters.parameters_of(strategy)
    policy = AnswerPolicy(
        parameters.class_policy,
        question=context.question,
        joins=evidence.joins,
        requires_support=not parameters.paper,
    )
    pool = DocumentPool(
        evidence.sources, evidence.selection.selected, evidence.count.electorate, dated=not parameters.paper
    )
    passages, left_out = _of_first_documents(evidence.passages, parameters.max_documents)
    documents = pool.add(passages) if definition.uses_documents else ()
    await context.progress("debate_began", {"strategy": strategy, "documents": len(documents)})
    budget = debate_budget(context)
    result = await run(
        definition.debate(context.question, documents, chosen, policy),
        Services(
            chat,
            DocumentReader(runtime, context.corpus, context.question),
            CorpusSearch(runtime, context.corpus, pool, tuple(evidence.consulted), evidence.known.where),
        ),
        _debate_limits(context, budget),
        partial(_report, context.progress),
    )
    context.meter.add(result.usage)
    held_over = dict(pool.entries)
    view = debate_view(strategy, chosen.model_dump(), chat.name, result, held_over, evidence.copies)
    return HeldDebate(result, held_over, view, tuple(debate_notes(result, budget, left_out)))


def _debate_limits(context: QuestionContext, budget: Budget) -> DebateLimits:
    settings = context.runtime.settings
    timeout = settings.reader_timeout_seconds * ATTEMPTS + RETRY_WAIT_SECONDS
    return DebateLimits(budget, settings.reader_concurrency, timeout)


def _of_first_documents(passages: tuple[RetrievedPassage, ...], limit: int) -> tuple[list[RetrievedPassage], int]:
    """The passages of the first `limit` documents, and the number of documents left out."""
    documents = list(dict.fromkeys(passage.document_id for passage in passages))
    kept = set(documents[:limit])
    return [passage for passage in passages if passage.document_id in kept], max(0, len(documents) - limit)


def debate_view(
    strategy: Strategy,
    settings: Mapping[str, Any],
    model: str,
    result: DebateResult,
    documents: Mapping[str, PooledDocument],
    copies: Mapping[UUID, tuple[str, ...]],
) -> DebateView:
    """The debate with its transcript, in characters that Postgres can store."""
    return DebateView(
        strategy=strategy,
        settings=dict(settings),
        model=storable(model),
        answers=tuple(
            DebateAnswerView(answer=storable(answer.answer), confidence=answer.confidence, documents=answer.documents)
            for answer in result.answers
        ),
        unsupported=tuple(map(storable, result.unsupported)),
        explanation=storable(result.explanation),
        stop_reason=result.stop_reason,
        rounds=result.rounds,
        documents=tuple(_document(name, document, copies) for name, document in documents.items()),
        transcript=tuple(map(_turn, result.transcript)),
        usage=DebateUsage(
            model_calls=result.usage.model_calls,
            input_tokens=result.usage.input_tokens,
            output_tokens=result.usage.output_tokens,
            milliseconds=result.seconds * 1000,
        ),
    )


def debate_notes(result: DebateResult, budget: Budget, documents_left_out: int) -> Iterator[str]:
    """The limits that the debate reached, then the replies that it lost."""
    if documents_left_out:
        yield f"The debate left out {documents_left_out} documents (max_documents)."
    if result.stop_reason is StopReason.OUT_OF_BUDGET:
        yield f"The debate was cut off by its budget: {_limits_reached(result, budget)}. It is a partial one."
    turns = len(result.transcript)
    failed = [turn for turn in result.transcript if turn.status is ReplyStatus.FAILED]
    if failed:
        reason = storable(failed[0].error or "no reason was given")
        yield f"{len(failed)} of {turns} turns of the debate got no reply: {reason}"
    unreadable = sum(turn.status is ReplyStatus.UNREADABLE for turn in result.transcript)
    if unreadable:
        yield f"{unreadable} of {turns} replies could not be read; they count as abstentions."
    if any(not answer.documents for answer in result.answers):
        yield REMEMBERED


def _limits_reached(result: DebateResult, budget: Budget) -> str:
    """The limits of the budget that were reached, with the parameters that set them."""
    tokens = result.usage.input_tokens + result.usage.output_tokens
    reached = {
        "model calls (max_model_calls)": budget.calls is not None and result.usage.model_calls >= budget.calls,
        "tokens (max_tokens)": budget.tokens is not None and tokens >= budget.tokens,
        "seconds (max_seconds)": budget.seconds is not None and result.seconds >= budget.seconds,
    }
    return ", ".join(limit for limit, is_reached in reached.items() if is_reached) or "what its API key had left"


def _document(name: str, document: PooledDocument, copies: Mapping[UUID, tuple[str, ...]]) -> DebateDocument:
    passage = document.passages[0]
    return DebateDocument(
        id=name,
        source_id=document.source.source_id,
        source=document.source.name,
        reliability=document.source.reliability,
        selected=document.selected,
        copies=copies.get(document.source.source_id, ()),
        document_id=passage.document_id,
        document_external_id=passage.external_id,
        title=passage.title,
        published_at=passage.published_at,
    )


def _turn(turn: Turn) -> TurnView:
    return TurnView(
        round=turn.round,
        agent=turn.agent,
        kind=turn.kind,
        status=turn.status,
        prompt=turn.prompt,
        prompt_hash=turn.prompt_hash,
        said=storable(turn.said),
        unreadable=tuple(map(storable, turn.unreadable)),
        error=None if turn.error is None else storable(turn.error),
        model_calls=turn.usage.model_calls,
        input_tokens=turn.usage.input_tokens,
        output_tokens=turn.usage.output_tokens,
        milliseconds=turn.usage.milliseconds,
    )
