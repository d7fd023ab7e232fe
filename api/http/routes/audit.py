"""The audit log, of one corpus or of all."""

from fastapi import APIRouter

from api.http.dependencies import PROTECTED, AdminAccess, OperatorCaller, PageParameters
from api.http.schemas.audit import AuditEventView, AuditLog
from registry.events import store as events

of_corpus = APIRouter(prefix="/v1/corpora/{corpus}/audit", tags=["audit"], dependencies=PROTECTED)
of_all = APIRouter(prefix="/v1/audit", tags=["audit"], dependencies=PROTECTED)


@of_corpus.get("", summary="List who changed what in a corpus")
async def list_corpus_changes(access: AdminAccess, paging: PageParameters) -> AuditLog:
    """The newest first."""
    async with access.begin() as (session, corpus):
        page = await events.audit_page(session, corpus, cursor=paging.cursor, limit=paging.limit)
    return AuditLog.of(page, AuditEventView.model_validate)


@of_all.get("", summary="List who changed what")
async def list_changes(caller: OperatorCaller, paging: PageParameters) -> AuditLog:
    """Returns the changes of all corpora, also deleted ones, newest first."""
    async with caller.runtime.database.begin() as session:
        page = await events.audit_page(session, None, cursor=paging.cursor, limit=paging.limit)
    return AuditLog.of(page, AuditEventView.model_validate)
