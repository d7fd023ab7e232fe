"""The question of a conversation, rewritten by the language model where one is configured; questions that follow up."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self
from uuid import UUID

import structlog
from pydantic import ValidationError

from answering.errors import ModelError
from answering.questions.conversation import Role, Turn, question_by_model, question_by_rule
from registry.answers import store as answers
from registry.answers.model import AnswerRecord
from registry.corpora.model import Corpus
from registry.keys.quotas import open_account
from registry.platform.enums import RunStatus
from registry.platform.fields import QUESTION
from registry.runtime import Runtime
from registry.viewers.model import UNRESTRICTED, Asker

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class FollowUp:
    question: str
    """The question, rewritten to stand alone."""
    answer_id: UUID
    typed: str
    made_of: frozenset[UUID]
    """Documents behind the previous answer, which the question may repeat."""

    @classmethod
    def of(cls, before: AnswerRecord, question: str, typed: str) -> Self:
        made_of = before.made_of or ()
        if before.made_of is None and before.status == RunStatus.SUCCEEDED:
            # Of an older answer that is not known: its id is that of no document, so that only who sees all sees it.
            made_of = [before.id]
        return cls(question, before.id, typed, frozenset(made_of))


async def understood(
    runtime: Runtime, corpus: Corpus, typed: str, follows: UUID | None, *, asker: Asker = UNRESTRICTED
) -> str | FollowUp:
    """The question, made whole from the answer that it follows up on, if it does.

    Raises `NotFound` for an answer that does not exist or that the asker does not see, and as `whole_question` does.
    """
    if follows is None:
        return typed
    async with runtime.database.begin() as session:
        before = await answers.get(session, corpus, follows, asker.viewer)
    said = Turn(Role.ASSISTANT, " / ".join(before.answers) or "No answer was found.")
    turns = [Turn(Role.USER, before.question), said, Turn(Role.USER, typed)]
    question = await whole_question(runtime, turns, key_id=asker.key_id)
    try:
        return FollowUp.of(before, QUESTION.validate_python(question), typed)
    except ValidationError as error:
        log.warning("question_not_rewritten", reason=error)
        return FollowUp.of(before, typed, typed)


async def whole_question(runtime: Runtime, turns: Sequence[Turn], *, key_id: UUID | None = None) -> str:
    """The last question of the user, rewritten to stand alone: by rules if there is no language model or its reply is
    unusable.

    The call of the model counts against the quota of the API key, if it has one.
    """
    by_rule = question_by_rule(turns)
    chat = runtime.charged_to(await open_account(runtime.database, key_id)).chat
    if chat is None or len(turns) == 1:
        return by_rule
    try:
        return await question_by_model(turns, chat)
    except ModelError as error:
        log.warning("question_not_rewritten", reason=error)
        return by_rule
