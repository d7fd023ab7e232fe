"""One debate over what the selected sources published, with the services of the process, within its budget."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from answering import debates
from answering.debates import DebateLimits, DebateResult, FirstReading, Services
from answering.models.usage import Budget
from answering.passages import RetrievedPassage
from registry.answers.context import Asking
from registry.answers.corpus_search import CorpusSearch
from registry.answers.debate_documents import Shelf, Shelved
from registry.answers.document_reader import DocumentReader
from registry.answers.progress import tell
from registry.answers.vote import Poll
from registry.inputs.strategies import Strategy, StrategyChoice
from registry.store.readings import CachedReader

# What is left of an answer's time for everything after its debate.
RESERVED_SECONDS = 1.0
# Beyond what the attempts at one request may take, the waits between them.
WAITS_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Debated:
    """A debate that was held, by whom, on which documents, and within what."""

    strategy: Strategy
    settings: Mapping[str, Any]
    result: DebateResult
    documents: Mapping[str, Shelved]
    left_out: int
    """Documents that were too many."""
    budget: Budget
    model: str


async def hold(asking: Asking, polled: Poll) -> Debated:
    """Hold the debate that the parameters name. Raises `ModelError` where the model never replied."""
    runtime, parameters = asking.runtime, asking.parameters
    strategy = parameters.debate(answered=bool(polled.ballots))
    chat = runtime.require_chat()
    shelf = Shelf(polled.sources, polled.selected)
    kept, left_out = _first(polled.found, parameters.max_documents)
    documents = () if strategy is Strategy.NO_RAG else shelf.put(kept)
    await asking.progress("debate_began", {"strategy": strategy, "documents": len(documents)})
    budget = budget_of(asking)
    result = await debates.run(
        debates.debate_of(
            debates.Strategy(strategy),
            asking.question,
            documents,
            parameters.debate_settings(parameters.class_policy),
        ),
        Services(
            chat,
            DocumentReader(CachedReader(runtime.require_reader(), runtime.database)),
            CorpusSearch(runtime, asking.corpus, shelf, polled.consulted),
        ),
        _limits(asking, budget),
        partial(tell, asking.progress),
    )
    asking.meter.charge(result.usage)
    return Debated(strategy, parameters.choices(strategy), result, dict(shelf.entries), left_out, budget, chat.name)


def budget_of(asking: Asking) -> Budget:
    """What the debate may cost: what is left of what was asked for, or of the settings, and never more than the time
    that is left.
    """
    given, settings, left = asking.parameters, asking.runtime.settings, asking.meter.left
    seconds = settings.debate_max_seconds if given.max_seconds is None else given.max_seconds
    return Budget(left.calls, left.tokens, min(seconds, max(0.0, asking.seconds_left - RESERVED_SECONDS)))


async def left_of(asking: Asking) -> Budget:
    """The same, and never more than what the API key has left."""
    budget = budget_of(asking)
    left = await asking.account.left() if asking.account is not None else Budget()
    return Budget(_least(budget.calls, left.calls), _least(budget.tokens, left.tokens), budget.seconds)


def _least(some: int | None, others: int | None) -> int | None:
    return min((one for one in (some, others) if one is not None), default=None)


def least_calls(choice: StrategyChoice, documents: int, *, answered: bool) -> int:
    """Calls without which a debate comes to nothing."""
    held = choice.debate(answered=answered)
    settings = choice.choices(held)
    if held is Strategy.MADAM:
        return 1 if settings["first"] is FirstReading.READER else documents + 1
    if held is Strategy.ASTUTE:
        return int(settings["consolidations"]) + bool(settings["passages"])
    return 1 if held is Strategy.CONCATENATED else 2


def documents_of(found: Iterable[RetrievedPassage]) -> int:
    """How many documents these passages are of."""
    return len({passage.document_id for passage in found})


def _limits(asking: Asking, budget: Budget) -> DebateLimits:
    settings = asking.runtime.settings
    timeout = settings.reader_timeout_seconds * settings.reader_attempts + WAITS_SECONDS
    return DebateLimits(budget, settings.reader_concurrency, timeout)


def _first(found: tuple[RetrievedPassage, ...], most: int) -> tuple[list[RetrievedPassage], int]:
    """The passages of the first documents, and how many documents are left out."""
    order = list(dict.fromkeys(passage.document_id for passage in found))
    kept = set(order[:most])
    return [passage for passage in found if passage.document_id in kept], max(0, len(order) - most)
