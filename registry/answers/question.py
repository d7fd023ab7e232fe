"""A question before anything is read: its context, which has its corpus, its models and what it may cost, the questions
that it asks, whether it needs reading, and what is known of the sources that may answer.
"""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Self, TypeAlias
from uuid import UUID

from answering.embedders import Vector
from answering.models import MeteredChat
from answering.models.usage import Budget, Meter
from answering.parameters import DEFAULT_KAPPA
from answering.questions.asked_period import AskedPeriod, asked_period
from answering.questions.coordination import coordinated_names
from answering.questions.key_words import whole_question
from answering.questions.kind import QuestionKind, has_question_form, may_be_looked_up, points_back, question_kind
from answering.questions.names import question_names, written_names
from answering.questions.parts import question_parts
from answering.questions.spelling import corrected
from answering.text import tokenize
from answering.text.language import language_name, language_of, may_be_english
from answering.text.ordinary_words import is_ordinary_word
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.estimations.model import EstimationRun
from registry.keys.quotas import Account, open_account
from registry.passages.schemas import PassageFilter
from registry.passages.store import within_period
from registry.passages.store.candidates import candidate_sources
from registry.passages.store.names import names_apart, unknown_names
from registry.platform.concurrency import both
from registry.platform.database.base import AsyncSession, Json
from registry.platform.errors import Conflict
from registry.platform.fields import require_settings_of_paper
from registry.platform.providers import knows_language
from registry.readings.service import MAX_CANDIDATES, only_candidates
from registry.readings.store import find_values
from registry.runtime import Runtime
from registry.search.service import Hit, search
from registry.sources.reliabilities import Reliabilities, current_reliabilities
from registry.sources.store.estimates import count_active, count_newer, current_run, topic_of_question, turned_share
from registry.viewers.model import ALL_SEEING, UNRESTRICTED, Asker, Viewer

Progress: TypeAlias = Callable[[str, Json], Awaitable[None]]
"""Called with the kind and the data of each step of an answer, one after the other."""


async def silent(_kind: str, _data: Json) -> None:
    """Report nothing."""


NEAREST = 3
BUDGET_PARAMETERS = "max_model_calls, max_tokens"
# Most sources that are read for an answer without a kappa (docs/results/web.md).
MOST_READINGS = 30
# What a debate may cost, unless its question says.
DEBATE_CALLS = 80
DEBATE_TOKENS = 200_000


def in_force(parameters: AnswerParameters, run: EstimationRun | None = None) -> AnswerParameters:
    """The parameters, with the rules of the paper if the run was made by them, and with the numbers of sources that the
    service fills in where they name none.
    """
    parameters = parameters.as_estimated(by_paper=run is not None and run.by_paper)
    kappa = parameters.kappa or (DEFAULT_KAPPA if parameters.strategy.debates else None)
    most = parameters.max_readings or (MOST_READINGS if kappa is None else None)
    return parameters.model_copy(update={"kappa": kappa, "max_readings": most})


def period_of(question: str, parameters: AnswerParameters, asked_at: datetime) -> AskedPeriod | None:
    """The period that a question asks about; `asked_at` is when it was asked, where the parameters do not say."""
    return None if parameters.paper else asked_period(question, parameters.asked_at or asked_at)


@dataclass(frozen=True, slots=True)
class QuestionContext:
    """Everything a question is answered with; its clock starts when it is made."""

    runtime: Runtime
    """Its language models are charged to the API key and to the budget of the question."""
    corpus: Corpus
    question: str
    parameters: AnswerParameters
    """The parameters in force, with defaults of the service and the run."""
    progress: Progress = silent
    viewer: Viewer = ALL_SEEING
    """Whom it is answered for, from the documents that they see."""
    account: Account | None = None
    """The quota of the API key, if it has one."""
    meter: Meter = field(default_factory=lambda: Meter(Budget()))
    """The budget that a debate and a language model as judge share."""
    started: float = field(default_factory=time.perf_counter)
    asked_at: datetime = field(default_factory=partial(datetime.now, UTC))
    """Kept, so that the questions in one are of one time."""
    period: AskedPeriod | None = None
    """The period that the question asks about by words such as `this week`."""
    unread_language: str | None = None
    """The English name of the language of the question, where nothing that reads it knows that."""

    def about(self, question: str) -> Self:
        """The context with this question, such as one of several that an input asks."""
        period = period_of(question, self.parameters, self.asked_at)
        return replace(self, question=question, period=period, unread_language=_unread_language(self.runtime, question))

    @property
    def seconds(self) -> float:
        """Since the question was asked."""
        return time.perf_counter() - self.started

    async def require_models(self) -> None:
        """Raises `SettingsError` if a model that is needed is not configured, `BudgetSpent` if its quota is spent."""
        self.runtime.require_reader()
        if self.parameters.paper:
            require_settings_of_paper(self.runtime.settings)
        if self.parameters.strategy.debates:
            self.runtime.require_chat()
            if self.account is not None:
                await self.account.require()


async def open_context(
    runtime: Runtime,
    corpus: Corpus,
    question: str,
    parameters: AnswerParameters,
    *,
    asker: Asker = UNRESTRICTED,
    progress: Progress = silent,
) -> QuestionContext:
    """The context of a question whose model calls count against the quota of the asker's API key, if it has one."""
    run = await runtime.database.read(partial(current_run, corpus=corpus)) if parameters.paper is None else None
    parameters = in_force(parameters, run)
    account = await open_account(runtime.database, asker.key_id)
    metered = runtime.charged_to(account)
    calls, tokens = parameters.max_model_calls, parameters.max_tokens
    meter = Meter(Budget(DEBATE_CALLS if calls is None else calls, DEBATE_TOKENS if tokens is None else tokens))
    if metered.chat is not None:
        judges = runtime.judges.with_chat(MeteredChat(metered.chat, meter, BUDGET_PARAMETERS))
        metered = replace(metered, judges=judges)
    context = QuestionContext(metered, corpus, question, parameters, progress, asker.viewer, account, meter)
    return context.about(question)


def _unread_language(runtime: Runtime, question: str) -> str | None:
    if runtime.chat is not None or knows_language(runtime.settings, question):
        return None
    code = language_of(question)
    return code and language_name(code)


@dataclass(frozen=True, slots=True)
class Unread:
    """An input for which nothing is read."""

    kind: QuestionKind
    """That of a question only if no passage names what it is about."""
    unknown: Sequence[str] = ()
    """Its names that stand in no passage."""
    nearest: Sequence[Hit] = ()


async def unread(context: QuestionContext, where: PassageFilter) -> Unread | None:
    """Why nothing is read for an input; None if some passage names its subject, or there is no passage."""
    kind = question_kind(context.question)
    if kind is not QuestionKind.QUESTION:
        return Unread(kind)
    # In other languages a capital letter is no sign of a name.
    english = may_be_english(context.question)
    missing = await _unknown(context, where, context.question) if english else ()
    if not missing:
        return None
    asks = has_question_form(context.question) or question_names(context.question)
    if not asks or not may_be_looked_up(context.question):
        return Unread(QuestionKind.NOT_A_QUESTION)
    if points_back(context.question):
        return Unread(QuestionKind.NO_SUBJECT)
    hits = await search(
        context.runtime,
        context.corpus,
        context.question,
        limit=NEAREST,
        restriction=context.parameters,
        viewer=context.viewer,
    )
    if not hits or await _is_misspelt(context, where, missing, hits):
        return None
    return Unread(kind, missing, hits)


async def questions_in(context: QuestionContext, where: PassageFilter) -> tuple[str, ...]:
    """The questions that an input asks; whether two names are one the passages tell."""
    pairs = list(coordinated_names(context.question))
    look_up = partial(names_apart, corpus=context.corpus, pairs=pairs, source_ids=where.source_ids, viewer=where.viewer)
    questions = question_parts(context.question, await context.runtime.database.read(look_up) if pairs else ())
    return tuple(
        whole_question(asked) if question_kind(asked) is QuestionKind.QUESTION else asked for asked in questions
    )


async def _unknown(context: QuestionContext, where: PassageFilter, question: str) -> Sequence[str]:
    look_up = partial(
        unknown_names, corpus=context.corpus, question=question, source_ids=where.source_ids, viewer=where.viewer
    )
    return await context.runtime.database.read(look_up)


async def _is_misspelt(
    context: QuestionContext, where: PassageFilter, missing: Sequence[str], hits: Sequence[Hit]
) -> bool:
    """Whether the passages found nearest have the words that are missing, spelt otherwise; names of one word with a
    capital letter are taken as they are written.
    """
    if any(len(name.words) < 2 for name in written_names(context.question) if name.text in missing):
        return False
    texts = [hit.passage.content for hit in hits]
    found = {word for text in texts for word in tokenize(text)}
    question = corrected(context.question, texts, lambda word: word in found or is_ordinary_word(word))
    return question != context.question and not await _unknown(context, where, question)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of sources before any is read."""

    vector: Vector
    """The embedding of the question."""
    reliabilities: Reliabilities
    """Reliabilities of the active sources that the question allows, on its topic."""
    newer_documents: int | None
    """Documents that came after the run of the reliabilities began; None without a run."""
    turned: float | None
    """The share of the run's separate runs that answer the question otherwise; None where it is no query of the run."""
    where: PassageFilter
    """The passages that the question allows."""
    relevance: Mapping[UUID, float] | None
    """Relevance of the candidate sources; None if all sources are candidates."""


async def look_up(context: QuestionContext, where: PassageFilter) -> Known:
    """Look up reliabilities and the sources worth reading at the same time, in transactions of their own: a source that
    is added between them is not asked.

    Raises `Conflict` if the corpus has no active source.
    """
    vector: Vector = (await context.runtime.embedder.embed([context.question]))[0]
    read, relevance = context.runtime.database.read, None
    if (period := context.period) is not None:
        where = await read(partial(within_period, corpus=context.corpus, period=period, where=where))
    active = await read(partial(count_active, corpus=context.corpus, source_ids=where.source_ids))
    look_up_reliabilities = read(partial(_reliabilities, context, vector))
    if candidates_alone(context.parameters, active):
        search = read(partial(_search, context, vector, where))
        # The search first: to take in the rows of a thousand sources keeps this process busy before it is on its way.
        relevance, (reliabilities, newer_documents, turned) = await both(search, look_up_reliabilities)
    else:
        reliabilities, newer_documents, turned = await look_up_reliabilities
    reliabilities = reliabilities.of_sources(where.source_ids)
    if not reliabilities.sources:
        if where.source_ids:
            raise Conflict("None of these sources is active. Ask others, or make them active again.")
        raise Conflict("This corpus has no active sources to ask. Register some and load their documents.")
    return Known(vector, reliabilities, newer_documents, turned, where, relevance)


async def _search(
    context: QuestionContext, vector: Vector, where: PassageFilter, session: AsyncSession
) -> Mapping[UUID, float]:
    """The relevance of sources in which the search finds a passage, or that state the answer as data."""
    corpus, question = context.corpus, context.question
    stated = (await find_values(session, corpus, {question: vector}, where.source_ids, where)).get(question, {})
    found = await candidate_sources(session, corpus, question, vector, limit=MAX_CANDIDATES, where=where)
    return {source_id: value.passage.relevance for source_id, value in stated.items()} | found


async def _reliabilities(
    context: QuestionContext, vector: Vector, session: AsyncSession
) -> tuple[Reliabilities, int | None, float | None]:
    reliabilities = await current_reliabilities(session, context.corpus)
    newer_documents = await count_newer(session, context.corpus, reliabilities.run)
    turned = await turned_share(session, reliabilities.run, context.question, context.viewer)
    if not context.parameters.use_topic:
        return reliabilities, newer_documents, turned
    topic = await topic_of_question(session, context.corpus, reliabilities.run, vector, context.parameters.topic)
    return reliabilities.on_topic(topic), newer_documents, turned


def candidates_alone(parameters: AnswerParameters, source_count: int) -> bool:
    """Whether a search over the corpus chooses the sources that are read, by parameters in force."""
    given, most = parameters.candidates_only, parameters.max_readings
    if given is None and parameters.kappa is None and most is not None:
        # Where not all sources can be read, those that have nothing on the question must not spend the readings.
        given = source_count > most
    return only_candidates(source_count, given)
