"""One debate over the documents of the selected sources, within the budget of the question."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from answering import debates
from answering.debates import AnswerPolicy, DebateLimits, Services
from answering.debates.protocol import DebateResult
from answering.models.usage import Budget
from answering.passages import RetrievedPassage
from registry.answers.context import QuestionContext
from registry.answers.debate_services import CorpusSearch, DocumentReader
from registry.answers.document_pool import DocumentPool, PooledDocument
from registry.answers.evidence import Evidence
from registry.answers.progress import report_debate_event
from registry.inputs.strategies import Strategy

# Kept back from the time of an answer for what follows its debate.
RESERVED_SECONDS = 1.0
# The waits between the attempts at one request.
RETRY_WAIT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class HeldDebate:
    """A debate that has ended: what was debated with which settings, over which documents, and within which budget."""

    strategy: Strategy
    settings: Mapping[str, Any]
    result: DebateResult
    documents: Mapping[str, PooledDocument]
    documents_left_out: int
    """Documents beyond `max_documents`."""
    budget: Budget
    model: str

    @property
    def passages(self) -> tuple[RetrievedPassage, ...]:
        """Of all its documents."""
        return tuple(passage for document in self.documents.values() for passage in document.passages)


async def hold_debate(context: QuestionContext, evidence: Evidence) -> HeldDebate:
    """Hold the debate that the parameters name. Raises `ModelError` if the language model never replied."""
    runtime, parameters = context.runtime, context.parameters
    chat = runtime.require_chat()
    strategy = parameters.debate_strategy(answered=bool(evidence.ballots))
    definition, chosen = strategy.definition, parameters.parameters_of(strategy)
    policy = AnswerPolicy(parameters.class_policy, runtime.settings.alignment_threshold)
    pool = DocumentPool(evidence.sources, evidence.selection.selected)
    passages, left_out = _of_first_documents(evidence.passages, parameters.max_documents)
    documents = pool.add(passages) if definition.uses_documents else ()
    await context.progress("debate_began", {"strategy": strategy, "documents": len(documents)})
    budget = debate_budget(context)
    result = await debates.run(
        definition.debate(context.question, documents, chosen, policy),
        Services(chat, DocumentReader(runtime), CorpusSearch(runtime, context.corpus, pool, evidence.consulted)),
        _limits(context, budget),
        partial(report_debate_event, context.progress),
    )
    context.meter.add(result.usage)
    return HeldDebate(strategy, chosen.model_dump(), result, dict(pool.entries), left_out, budget, chat.name)


def debate_budget(context: QuestionContext) -> Budget:
    """What is left of the limits of the question, or of the settings, and never more time than the answer has left."""
    left, limit = context.meter.remaining, context.parameters.max_seconds
    seconds = context.runtime.settings.debate_max_seconds if limit is None else limit
    return Budget(left.calls, left.tokens, min(seconds, max(0.0, context.seconds_left - RESERVED_SECONDS)))


def _limits(context: QuestionContext, budget: Budget) -> DebateLimits:
    settings = context.runtime.settings
    timeout = settings.reader_timeout_seconds * settings.reader_attempts + RETRY_WAIT_SECONDS
    return DebateLimits(budget, settings.reader_concurrency, timeout)


def _of_first_documents(passages: tuple[RetrievedPassage, ...], limit: int) -> tuple[list[RetrievedPassage], int]:
    """The passages of the first `limit` documents, and the number of documents left out."""
    documents = list(dict.fromkeys(passage.document_id for passage in passages))
    kept = set(documents[:limit])
    return [passage for passage in passages if passage.document_id in kept], max(0, len(documents) - limit)
