"""One debate over the documents of the selected sources, within the budget of the question."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from answering import debates
from answering.debates import AnswerPolicy, DebateLimits, Services
from answering.debates.protocol import DebateResult
from answering.models.usage import Budget
from answering.passages import RetrievedPassage
from registry.answers.context import QuestionContext
from registry.answers.debates.documents import CorpusSearch, DocumentPool, DocumentReader, PooledDocument
from registry.answers.debates.report import debate_notes, debate_view
from registry.answers.debates.schemas import DebateView
from registry.answers.evidence import Evidence
from registry.answers.progress import report_debate_event

# The waits between the attempts at one request.
RETRY_WAIT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class HeldDebate:
    """A debate that has ended, with the documents it was held over."""

    result: DebateResult
    documents: Mapping[str, PooledDocument]
    view: DebateView
    """The debate as it is stored."""
    notes: tuple[str, ...]
    """Limits that it reached, and replies that it lost."""

    @property
    def passages(self) -> tuple[RetrievedPassage, ...]:
        """The passages of all documents."""
        return tuple(passage for document in self.documents.values() for passage in document.passages)


async def hold_debate(context: QuestionContext, evidence: Evidence) -> HeldDebate:
    """Hold the debate that the parameters name. Raises `ModelError` if the language model never replied."""
    runtime, parameters = context.runtime, context.parameters
    chat = runtime.require_chat()
    strategy = parameters.debate_strategy(answered=bool(evidence.ballots))
    definition, chosen = strategy.definition, parameters.parameters_of(strategy)
    policy = AnswerPolicy(
        parameters.class_policy,
        runtime.settings.alignment_threshold,
        context.question,
        evidence.joins,
        requires_support=not parameters.paper,
    )
    pool = DocumentPool(evidence.sources, evidence.selection.selected, evidence.electorate, dated=not parameters.paper)
    passages, left_out = _of_first_documents(evidence.passages, parameters.max_documents)
    documents = pool.add(passages) if definition.uses_documents else ()
    await context.progress("debate_began", {"strategy": strategy, "documents": len(documents)})
    budget = context.debate_budget
    result = await debates.run(
        definition.debate(context.question, documents, chosen, policy),
        Services(
            chat,
            DocumentReader(runtime, context.corpus, context.question),
            CorpusSearch(runtime, context.corpus, pool, tuple(evidence.consulted), evidence.where),
        ),
        _debate_limits(context, budget),
        partial(report_debate_event, context.progress),
    )
    context.meter.add(result.usage)
    held_over = dict(pool.entries)
    view = debate_view(strategy, chosen.model_dump(), chat.name, result, held_over, evidence.copies)
    return HeldDebate(result, held_over, view, tuple(debate_notes(result, budget, left_out)))


def _debate_limits(context: QuestionContext, budget: Budget) -> DebateLimits:
    settings = context.runtime.settings
    timeout = settings.reader_timeout_seconds * settings.reader_attempts + RETRY_WAIT_SECONDS
    return DebateLimits(budget, settings.reader_concurrency, timeout)


def _of_first_documents(passages: tuple[RetrievedPassage, ...], limit: int) -> tuple[list[RetrievedPassage], int]:
    """The passages of the first `limit` documents, and the number of documents left out."""
    documents = list(dict.fromkeys(passage.document_id for passage in passages))
    kept = set(documents[:limit])
    return [passage for passage in passages if passage.document_id in kept], max(0, len(documents) - limit)
