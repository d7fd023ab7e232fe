"""Wordings of an answer joined on the page of an answer or of a query, and parted there."""

from typing import Annotated
from uuid import UUID

from fastapi import Form
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from api.http.dependencies import IngestAccess
from api.http.routes.answers import AnswerId
from api.http.routes.estimations import EstimationId
from api.http.routes.queries import JoinId, QueryId
from api.pages.rendering import address
from api.pages.visitors import page_router
from registry.answers import jobs as queued_answers
from registry.answers import store as stored_answers
from registry.answers.model import AnswerRecord
from registry.answers.schemas import AnswerParameters, Strategy
from registry.keys.schemas import Scope
from registry.platform.enums import ActorKind
from registry.queries import store as queries
from registry.queries.schemas import Answer, JoinInput
from registry.queries.store import joined_answers

of_answer = page_router("/corpora/{corpus}/answers/{answer_id}/joins")
of_query = page_router("/corpora/{corpus}/estimations/{estimation_id}/queries/{query_id}/joins")

Wording = Annotated[Answer, Form()]


@of_answer.post("")
async def join_on_answer(access: IngestAccess, answer_id: AnswerId, answer: Wording, other: Wording) -> Response:
    """Join two wordings, and count the votes on the question anew."""
    async with access.begin() as (session, corpus):
        record = await stored_answers.get(session, corpus, answer_id, access.viewer)
        join = JoinInput(question=record.question, answers=[answer, other])
        await joined_answers.add(session, corpus, join, actor=ActorKind.BROWSER)
    return await _counted_anew(access, record)


@of_answer.post("/{join_id}/undo")
async def part_on_answer(access: IngestAccess, answer_id: AnswerId, join_id: JoinId) -> Response:
    """Part what was joined, and count the votes on the question anew."""
    async with access.begin() as (session, corpus):
        record = await stored_answers.get(session, corpus, answer_id, access.viewer)
        await joined_answers.undo(session, corpus, join_id, only_own=access.only_own)
    return await _counted_anew(access, record)


async def _counted_anew(access: IngestAccess, record: AnswerRecord) -> Response:
    """Redirects to the question asked again; to this answer if that would call a model, or the visitor may not ask."""
    parameters = AnswerParameters.model_validate(record.parameters)
    here = address("corpora", access.corpus_name, "answers", record.id)
    if parameters.strategy is not Strategy.WMV or not access.principal.may(Scope.ASK):
        return RedirectResponse(f"{here}#joined", 303)
    corpus, asker = await access.corpus(), access.principal.asker
    again = await queued_answers.start(access.runtime, corpus, record.question, parameters, asker=asker)
    return RedirectResponse(address("corpora", access.corpus_name, "answers", again.id) + f"?beside={record.id}", 303)


@of_query.post("")
async def join_on_query(
    access: IngestAccess, estimation_id: EstimationId, query_id: QueryId, answer: Wording, other: Wording
) -> Response:
    """Join two wordings of answers to a query."""
    async with access.begin() as (session, corpus):
        query = await queries.get(session, corpus, query_id, access.viewer)
        join = JoinInput(question=query.text, answers=[answer, other])
        await joined_answers.add(session, corpus, join, actor=ActorKind.BROWSER)
    return _to_query(access, estimation_id, query_id)


@of_query.post("/{join_id}/undo")
async def part_on_query(
    access: IngestAccess, estimation_id: EstimationId, query_id: QueryId, join_id: JoinId
) -> Response:
    """Part what was joined."""
    async with access.begin() as (session, corpus):
        await joined_answers.undo(session, corpus, join_id, only_own=access.only_own)
    return _to_query(access, estimation_id, query_id)


def _to_query(access: IngestAccess, estimation_id: UUID, query_id: UUID) -> Response:
    goal = address("corpora", access.corpus_name, "estimations", estimation_id, "queries", query_id)
    return RedirectResponse(f"{goal}#joined", 303)
