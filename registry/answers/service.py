"""Answers questions: stage 2 of RA-RAG (arXiv:2410.22954, section 3), from the question to the stored answer."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from uuid import UUID

import structlog
from uuid_utils.compat import uuid7

from answering.passages import RetrievedPassage
from answering.questions.parts import question_about
from answering.voting import Outcome
from estimator.errors import CredenceError
from registry.answers.asked_queries import keep_question
from registry.answers.calibration import calibrated
from registry.answers.conclusion import NOTHING_HOLDS, Resolution, conclude_vote, unnamed_subjects
from registry.answers.conversation import FollowUp
from registry.answers.debate_resolution import resolve
from registry.answers.evidence import Evidence, gather_evidence
from registry.answers.model import AnswerRecord
from registry.answers.no_answer import empty_result, explain_unread
from registry.answers.parts import Part, join
from registry.answers.question import Progress, QuestionContext, look_up, open_context, questions_in, silent, unread
from registry.answers.result import build_result
from registry.answers.result_schemas import AnswerResult, NoAnswerCode
from registry.answers.schemas import AnswerParameters, Strategy
from registry.conflict_scores.scoring import score_answers
from registry.corpora.model import Corpus
from registry.events import store as events
from registry.keys.quotas import take_question
from registry.passages.schemas import PassageFilter
from registry.passages.store import passage_filter
from registry.platform.database.base import AsyncSession
from registry.platform.enums import RunStatus
from registry.platform.errors import TooSlow
from registry.runtime import Runtime
from registry.viewers.model import UNRESTRICTED, Asker

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a question, and those of the questions in it where it asks several."""

    result: AnswerResult
    made_of: frozenset[UUID]
    """The documents that were read for it, and the sources whose imported votes count."""
    parts: Sequence[Part] = ()


async def answer(context: QuestionContext) -> Answer:
    """The answer to a question, or to each of those that it asks.

    Raises `NotFound` for a source of the question that does not exist, and what `answer_one` raises.
    """
    scope = partial(passage_filter, corpus=context.corpus, values=context.parameters, viewer=context.viewer)
    where = await context.runtime.database.read(scope)
    questions = await questions_in(context, where)
    if len(questions) == 1:
        return await answer_one(context.about(questions[0]), where)
    answers = await asyncio.gather(*(answer_one(context.about(question), where) for question in questions))
    (_, first), *others = zip(questions, answers, strict=True)
    later = [await _on(context, where, first, question, other) for question, other in others]
    answered = [(questions[0], first), *later]
    parts = [Part(uuid7(), question, of_part.result, of_part.made_of) for question, of_part in answered]
    return Answer(join(context, parts), frozenset().union(*(part.made_of for part in parts)), parts)


async def _on(
    context: QuestionContext, where: PassageFilter, first: Answer, question: str, other: Answer
) -> tuple[str, Answer]:
    """A later question and its answer; of one without a subject that on what the first answer names: which country has
    the code 94, and what is its capital?
    """
    code = other.result.no_answer and other.result.no_answer.code
    named = first.result.outcome is Outcome.ANSWERED and code is NoAnswerCode.NO_SUBJECT
    whole = question_about(question, first.result.answers[0]) if named else None
    return (whole, await answer_one(context.about(whole), where)) if whole else (question, other)


async def answer_one(context: QuestionContext, where: PassageFilter) -> Answer:
    """The answer to one question from the passages that it allows.

    Raises `TooSlow` after CREDENCE_ANSWER_TIMEOUT_SECONDS, and what reading raises.
    """
    await context.require_models()
    seconds = context.runtime.settings.answer_timeout_seconds
    try:
        async with asyncio.timeout(seconds):
            if (nothing := await unread(context, where)) is not None:
                result = empty_result(context, explain_unread(nothing), nothing.nearest)
                return Answer(result, frozenset(citation.document_id for citation in result.nearest))
            evidence = await gather_evidence(context, await look_up(context, where))
            resolution = await _resolve(context, evidence)
    except TimeoutError as error:
        raise TooSlow(
            f"No answer within {seconds:g} seconds (CREDENCE_ANSWER_TIMEOUT_SECONDS). Readings made so far are kept, "
            "so that asking again goes on from there; or ask with a smaller kappa or max_readings."
        ) from error
    milliseconds = context.seconds * 1000
    debated = resolution.debate.passages if resolution.debate else ()
    conflict = resolution.conflict or await score_answers(
        context.runtime,
        context.question,
        resolution.conclusion.answers,
        passages=(*evidence.passages, *debated),
        sources=evidence.sources,
        electorate=evidence.count.electorate,
        copies=evidence.copies,
    )
    result = build_result(context, evidence, resolution, conflict, milliseconds)
    parameters = context.parameters.model_dump(mode="json")
    result = await context.runtime.database.read(
        lambda session: calibrated(session, context.corpus, result, parameters)
    )
    return Answer(result, _made_of(evidence, debated))


async def _resolve(context: QuestionContext, evidence: Evidence) -> Resolution:
    """The conclusion of the strategy of the question; none where it does not say what it is about."""
    vote, strategy = conclude_vote(evidence, context.parameters.min_margin), context.parameters.strategy
    voted = {"outcome": vote.outcome, "answers": list(vote.answers), "margin": evidence.vote.margin}
    counts = {"selected": len(evidence.count.ballots), "readings": len(evidence.selection.readings)}
    await context.progress("voted", voted | counts)
    if subjects := unnamed_subjects(context, evidence):
        return Resolution(NOTHING_HOLDS, vote, subjects=subjects)
    if strategy is Strategy.WMV:
        return Resolution(vote, vote)
    return await resolve(context, evidence, vote)


def _made_of(evidence: Evidence, debated: Sequence[RetrievedPassage]) -> frozenset[UUID]:
    """The documents that were read or debated, and the sources whose imported votes count."""
    readings = evidence.selection.readings
    passages = chain(debated, *(reading.passages for reading in readings.values()))
    imported = {source_id for source_id, reading in readings.items() if reading.imported}
    return frozenset(imported.union(passage.document_id for passage in passages))


async def ask(
    runtime: Runtime,
    corpus: Corpus,
    question: str | FollowUp,
    parameters: AnswerParameters,
    *,
    asker: Asker = UNRESTRICTED,
    progress: Progress = silent,
    answer_id: UUID | None = None,
) -> AnswerRecord:
    """Answer now and store the answer, as `answer_id` if given. Raises what `answer` raises, and then stores nothing.

    It is made of the documents that the asker sees.

    Calls of language models count against the quota of the asker's API key, if it has one. Raises `DailyLimitReached`
    if the key or the corpus may ask no more questions today.
    """
    context = await open_context(runtime, corpus, text_of(question), parameters, asker=asker, progress=progress)
    async with runtime.database.begin() as session:
        await take_question(session, corpus, asker.key_id)
    answered = await answer(context)
    record = new_record(corpus, question, context.parameters, asker, answer_id)
    async with runtime.database.begin() as session:
        session.add(record)
        succeed(session, record, answered)
    await keep_questions(runtime, corpus, record, parameters, answered)
    return record


async def keep_questions(
    runtime: Runtime, corpus: Corpus, record: AnswerRecord, parameters: AnswerParameters, answered: Answer
) -> None:
    if not (parameters.keep_as_query and corpus.asked_queries):
        return
    asked = [(part.answer_id, part.question, part.result) for part in answered.parts]
    try:
        for answer_id, question, result in asked or [(record.id, record.question, answered.result)]:
            await keep_question(runtime, corpus, question, answer_id, result)
    except CredenceError as error:  # The answer is stored and stands without it.
        log.warning("question_not_kept", corpus=corpus.name, why=error)


def text_of(question: str | FollowUp) -> str:
    return question if isinstance(question, str) else question.question


def new_record(
    corpus: Corpus,
    question: str | FollowUp,
    parameters: AnswerParameters,
    asker: Asker,
    answer_id: UUID | None = None,
) -> AnswerRecord:
    return AnswerRecord(
        id=answer_id or uuid7(),
        corpus_id=corpus.id,
        key_id=asker.key_id,
        viewer_groups=asker.viewer.stored,
        question=text_of(question),
        parameters=parameters.model_dump(mode="json"),
        follows_id=question.answer_id if isinstance(question, FollowUp) else None,
        typed=question.typed if isinstance(question, FollowUp) else None,
        made_of=sorted(question.made_of) if isinstance(question, FollowUp) else None,
    )


def succeed(session: AsyncSession, record: AnswerRecord, answered: Answer) -> None:
    """Store the result of a question, and those of its parts as answers of their own."""
    for part in answered.parts:
        stored = AnswerRecord(
            id=part.answer_id,
            corpus_id=record.corpus_id,
            key_id=record.key_id,
            viewer_groups=record.viewer_groups,
            question=part.question,
            parameters=record.parameters,
            made_of=record.made_of,
        )
        session.add(stored)
        _store(session, stored, part)
    _store(session, record, answered)


def _store(session: AsyncSession, record: AnswerRecord, answered: Answer | Part) -> None:
    result, record.made_of = answered.result, sorted(answered.made_of.union(record.made_of or ()))
    record.status, record.finished_at = RunStatus.SUCCEEDED, datetime.now(UTC)
    record.outcome, record.estimation_id = result.outcome, result.estimation_id
    record.result = result.model_dump(mode="json")
    events.publish(
        session, record.id, RunStatus.SUCCEEDED, {"outcome": result.outcome, "answers": list(result.answers)}
    )
