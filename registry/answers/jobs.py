"""The job that answers a question."""

from uuid import UUID

from registry.answers import service as answers
from registry.answers import store as stored_answers
from registry.answers.conversation import FollowUp
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.job_kind import JobKind
from registry.runtime import Runtime


async def _repeat(runtime: Runtime, corpus: Corpus, answer_id: UUID) -> None:
    async with runtime.database.begin() as session:
        record = await stored_answers.get(session, corpus, answer_id)
    parameters = AnswerParameters.model_validate(record.parameters)
    question: str | FollowUp = record.question
    if record.follows_id is not None:
        before = frozenset(record.made_of or ())
        question = FollowUp(record.question, record.follows_id, record.typed or record.question, before)
    await answers.start(runtime, corpus, question, parameters, asker=record.asker)


KIND = JobKind(
    job=answers.JOB,
    summary="Answers a question that was sent with `Prefer: respond-async`.",
    run=answers.run,
    unfinished=stored_answers.UNFINISHED,
    failed=stored_answers.FAILED,
    give_up=answers.fail,
    repeat=_repeat,
)
