"""Page for operators: jobs and failures, storage, spending, and quotas of corpora."""

from datetime import timedelta
from typing import Annotated
from uuid import UUID

from fastapi import Form, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from api.http.dependencies import AdminAccess, OperatorCaller, PageParameters, runtime_of
from api.http.routes.corpora import list_corpora, update_corpus
from api.pages.rendering import address, page
from api.pages.visitors import page_router
from registry.answers.store import model_use
from registry.corpora.schemas import CorpusPatch
from registry.corpora.store import alarms
from registry.estimations.store import reading_totals
from registry.jobs import failures
from registry.jobs.kinds import KINDS
from registry.keys.schemas import MAX_DAILY
from registry.keys.store.spending import usage_of_corpora
from registry.platform.database.engine import database_bytes

router = page_router("/operations")

FAILED_SHOWN = 20
SPENDING_DAYS = 30
HERE = address("operations")
# The pages of a corpus on which the subjects of the kinds of jobs are seen.
PAGES = {
    "answer": "answers/{}",
    "estimate": "estimations/{}",
    "connector": "documents#feeds",
    "generate_queries": "suggestions",
}
Quota = Annotated[int | None, Form(ge=0, le=MAX_DAILY)]


@router.get("")
async def show_operations(request: Request, caller: OperatorCaller, paging: PageParameters) -> Response:
    """The state of the service."""
    async with caller.runtime.database.begin() as session:
        readings, turned = await reading_totals(session), await alarms(session)
        failed = await failures.recent_failures(session, FAILED_SHOWN)
        spent = await model_use(session, timedelta(days=SPENDING_DAYS))
        usage, size = await usage_of_corpora(session), await database_bytes(session)
    return page(
        request,
        "service/operations.html",
        kinds=KINDS,
        counts={task["name"]: task for task in await caller.runtime.jobs.job_manager.list_tasks_async()},
        broken=await failures.broken_jobs(caller.runtime, FAILED_SHOWN),
        failed=failed[:FAILED_SHOWN],
        pages=PAGES,
        readings=readings,
        spent=spent,
        spending_days=SPENDING_DAYS,
        turned={name: count for name, count in sorted(turned.items()) if count},
        supervisor=runtime_of(request).supervisor,
        corpora=await list_corpora(caller, paging),
        usage=usage,
        database_bytes=size,
    )


@router.post("/jobs/{job_id}/retry")
async def retry_job(caller: OperatorCaller, job_id: int) -> Response:
    """Queue a job that broke off again."""
    await failures.retry_job(caller.runtime, job_id)
    return RedirectResponse(f"{HERE}#failures", 303)


@router.post("/corpora/{corpus}/failures/{kind}/{subject_id}/repeat")
async def repeat(_caller: OperatorCaller, access: AdminAccess, kind: str, subject_id: UUID) -> Response:
    """Queue work that ended with a problem again."""
    await failures.repeat(access.runtime, await access.corpus(), kind, subject_id)
    return RedirectResponse(f"{HERE}#failures", 303)


@router.post("/corpora/{corpus}/quotas")
async def set_quotas(
    access: AdminAccess, daily_questions: Quota = None, max_documents: Quota = None, max_stored_bytes: Quota = None
) -> Response:
    """Set the quotas of a corpus; an empty field removes one."""
    quotas = CorpusPatch(
        daily_questions=daily_questions, max_documents=max_documents, max_stored_bytes=max_stored_bytes
    )
    await update_corpus(quotas, access)
    return RedirectResponse(f"{HERE}#corpora", 303)
