"""A message of a chat answered: by rule if the front end sent it by itself, else as a question to the corpus."""

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from uuid import UUID

from pydantic import ValidationError
from uuid_utils.compat import uuid7

from answering.questions.conversation import Role, Turn
from api.chat.client_tasks import reply_to_task, typed_by_user, typed_turns
from api.chat.model_names import ModelName
from api.chat.reply import Reply, addresses_of, write_reply
from registry.answers import service as answers
from registry.answers.conversation import FollowUp, whole_question
from registry.answers.model import AnswerRecord
from registry.answers.progress import Progress, silent
from registry.answers.result_schemas import AnswerResult
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.passages.schemas import EvidenceFilter
from registry.platform.errors import InvalidInput
from registry.platform.fields import QUESTION
from registry.runtime import Runtime
from registry.viewers.model import Asker


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A question of a chat front end; `field` names the part of its request that holds the messages."""

    runtime: Runtime
    corpus: Corpus
    model: ModelName
    system: str
    turns: Sequence[Turn]
    asker: Asker
    field: str
    before: AnswerRecord | None = None
    """The answer that the conversation goes on from, if it is stored."""
    restriction: EvidenceFilter = dataclass_field(default_factory=EvidenceFilter)
    keep_as_query: bool = True
    """Whether the question may become a query."""
    answer_id: UUID = dataclass_field(default_factory=uuid7)
    """The id under which the answer is stored, unless the front end sent the request by itself."""

    def check(self) -> None:
        """Raises `InvalidInput` without a question, `SettingsError` if a model that is needed is not configured."""
        if not self.turns or self.turns[-1].role is not Role.USER:
            raise InvalidInput("The last message must be one of the user.", field=self.field)
        if reply_to_task(self.system, self.turns) is None:
            self._checked(typed_by_user(self.turns[-1].text))
            self.runtime.require_reader()
            if self.model.strategy.debates:
                self.runtime.require_chat()

    async def answer(self, progress: Progress = silent) -> Reply:
        """The reply. Raises what `registry.answers.ask` raises."""
        by_rule = reply_to_task(self.system, self.turns)
        if by_rule is not None:
            return Reply(by_rule)
        turns = typed_turns(self.turns)
        question = self._checked(await whole_question(self.runtime, turns, key_id=self.asker.key_id))
        record = await answers.ask(
            self.runtime,
            self.corpus,
            question if self.before is None else FollowUp.of(self.before, question, turns[-1].text),
            AnswerParameters(
                strategy=self.model.strategy,
                keep_as_query=self.keep_as_query,
                **self.restriction.model_dump(exclude_none=True),
            ),
            asker=self.asker,
            progress=progress,
            answer_id=self.answer_id,
        )
        result = AnswerResult.model_validate(record.result)
        async with self.runtime.database.begin() as session:
            addresses = await addresses_of(session, result)
        asked = " ".join(turns[-1].text.split())
        understood = " ".join(question.split())
        return write_reply(result, addresses, answer_id=self.answer_id, asked=asked, understood=understood)

    def _checked(self, question: str) -> str:
        try:
            return QUESTION.validate_python(question)
        except ValidationError as error:
            message = error.errors()[0]["msg"].removeprefix("Value error, ")
            raise InvalidInput(f"The question {message[0].lower()}{message[1:]}.", field=self.field) from error
