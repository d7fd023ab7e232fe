"""A question on its way to an answer."""

import time
from dataclasses import dataclass, field, replace
from uuid import UUID

from answering.models import MeteredChat
from answering.models.usage import Budget, Meter
from registry.access.metering import charged
from registry.access.quotas import Account, open_account
from registry.answers.progress import Progress, silent
from registry.inputs.answers import AnswerParameters
from registry.models import Corpus
from registry.runtime import Runtime

LIMITS = "max_model_calls, max_tokens"


@dataclass(frozen=True, slots=True)
class Asking:
    """Who is asked what, how, and who hears of it; its clock runs from the moment it is made."""

    runtime: Runtime
    corpus: Corpus
    question: str
    parameters: AnswerParameters
    progress: Progress = silent
    account: Account | None = None
    """Who pays, where that is limited."""
    meter: Meter = field(default_factory=lambda: Meter(Budget()))
    """What its debate and a language model that judges may spend together."""
    began: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        """Since the question came."""
        return time.perf_counter() - self.began

    @property
    def seconds_left(self) -> float:
        """Until CREDENCE_ANSWER_TIMEOUT_SECONDS, at least 0."""
        return max(0.0, self.runtime.settings.answer_timeout_seconds - self.seconds)

    @classmethod
    async def of(
        cls,
        runtime: Runtime,
        corpus: Corpus,
        question: str,
        parameters: AnswerParameters,
        *,
        key_id: UUID | None = None,
        progress: Progress = silent,
    ) -> "Asking":
        """A question whose models the key pays for, where its spending is limited."""
        account = await open_account(runtime.database, key_id)
        paid, settings = charged(runtime, account), runtime.settings
        calls, tokens = parameters.max_model_calls, parameters.max_tokens
        meter = Meter(
            Budget(
                settings.debate_max_model_calls if calls is None else calls,
                settings.debate_max_tokens if tokens is None else tokens,
            )
        )
        if paid.chat is not None:
            paid = replace(paid, judges=runtime.judges.asking(MeteredChat(paid.chat, meter, LIMITS)))
        return cls(paid, corpus, question, parameters, progress, account, meter)

    async def require_models(self) -> None:
        """Raises `SettingsError` for a model that is needed and not configured, before anything is read, and
        `BudgetSpent` where one is needed and nothing is left to pay it with.
        """
        self.runtime.require_reader()
        if self.parameters.strategy.debates:
            self.runtime.require_chat()
            if self.account is not None:
                await self.account.require()
