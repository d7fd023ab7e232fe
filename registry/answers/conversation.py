"""The question of a conversation, rewritten by the language model where one is configured."""

from collections.abc import Sequence
from uuid import UUID

import structlog

from answering.errors import ModelError
from answering.questions.conversation import Turn, question_by_model, question_by_rule
from registry.keys.quotas import open_account
from registry.runtime import Runtime

log = structlog.get_logger(__name__)


async def whole_question(runtime: Runtime, turns: Sequence[Turn], *, key_id: UUID | None = None) -> str:
    """What the last message of the user asks; by rule without a language model, or where that gives no usable reply.

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
