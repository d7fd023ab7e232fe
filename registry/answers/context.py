"""The context of one question: its corpus, its models, what it may cost, and who follows its progress."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Self, TypeAlias
from uuid import UUID

import structlog

from answering.debates.driver import DebateEnded, Event, TurnBegan
from answering.debates.protocol import Turn
from answering.models import MeteredChat
from answering.models.usage import Budget, Meter
from answering.parameters import DEFAULT_KAPPA
from answering.questions.asked_period import AskedPeriod, asked_period
from answering.text.language import language_name, language_of
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.estimations.model import EstimationRun
from registry.events import store as events
from registry.keys.quotas import Account, open_account
from registry.platform.database.base import Json
from registry.platform.database.engine import Database
from registry.platform.errors import Unavailable
from registry.platform.fields import require_settings_of_paper, storable
from registry.platform.providers import knows_language
from registry.runtime import Runtime
from registry.sources.store.estimates import current_run
from registry.viewers.model import ALL_SEEING, UNRESTRICTED, Asker, Viewer

log = structlog.get_logger(__name__)

SHOWN_CHARACTERS = 300


Progress: TypeAlias = Callable[[str, Json], Awaitable[None]]
"""Called with the kind and the data of each step of an answer, one after the other."""


async def silent(_kind: str, _data: Json) -> None:
    """Report nothing."""


class ProgressEvents:
    """Stores every step as an event of the answer."""

    def __init__(self, database: Database, answer_id: UUID) -> None:
        self._database = database
        self._answer_id = answer_id
        # Ids rise in the order of commits only if there is one commit at a time; a follower would miss some otherwise.
        self._lock = asyncio.Lock()

    async def __call__(self, kind: str, data: Json) -> None:
        """Store a step; if the database is unavailable the step is lost, not the answer."""
        try:
            async with self._lock, self._database.begin() as session:
                events.publish(session, self._answer_id, kind, data)
        except Unavailable as error:
            log.warning("step_not_recorded", reason=error)


async def report_debate_event(progress: Progress, event: Event) -> None:
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


BUDGET_PARAMETERS = "max_model_calls, max_tokens"
# Most sources that are read for an answer without a kappa (docs/results/web.md).
MOST_READINGS = 30
# Kept back from the time of an answer for what follows its debate.
RESERVED_SECONDS = 1.0
# What a debate may cost, unless its question says.
DEBATE_CALLS = 80
DEBATE_TOKENS = 200_000
DEBATE_SECONDS = 100.0


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

    @property
    def seconds_left(self) -> float:
        """Seconds until CREDENCE_ANSWER_TIMEOUT_SECONDS, at least 0."""
        return max(0.0, self.runtime.settings.answer_timeout_seconds - self.seconds)

    @property
    def debate_budget(self) -> Budget:
        """The budget that the limits of the question or the settings leave for a debate, less one second."""
        left, limit = self.meter.remaining, self.parameters.max_seconds
        seconds = DEBATE_SECONDS if limit is None else limit
        return Budget(left.calls, left.tokens, min(seconds, max(0.0, self.seconds_left - RESERVED_SECONDS)))

    async def affordable_debate(self) -> Budget:
        """The budget of a debate, and never more than the API key has left."""
        budget = self.debate_budget
        quota = await self.account.left() if self.account is not None else Budget()
        return Budget(_smaller(budget.calls, quota.calls), _smaller(budget.tokens, quota.tokens), budget.seconds)

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
    meter = Meter(
        Budget(
            DEBATE_CALLS if calls is None else calls,
            DEBATE_TOKENS if tokens is None else tokens,
        )
    )
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


def _smaller(first: int | None, second: int | None) -> int | None:
    return min((limit for limit in (first, second) if limit is not None), default=None)
