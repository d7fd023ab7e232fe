"""What operators watch: jobs and failures, readings, sources that turned, and API keys with their limits."""

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from api.http.dependencies import CorpusAccess, OperatorCaller, PageParameters, Paging, runtime_provider_of
from api.http.routes.corpora import list_corpora
from api.http.routes.keys import list_keys, list_operator_keys
from api.pages.rendering import page
from api.pages.visitors import page_router
from registry.database.paging import MAX_LIMIT
from registry.jobs.kinds import KINDS
from registry.store.estimations import reading_totals
from registry.store.reliabilities import alarms

router = page_router("/operations")

FAILED_SHOWN = 50


@router.get("")
async def show_operations(
    request: Request,
    caller: OperatorCaller,
    paging: PageParameters,
    corpus: Annotated[str, Query(max_length=100)] = "",
) -> Response:
    """The state of the service, and the keys of a corpus, else those of the operators."""
    provider = runtime_provider_of(request)
    async with caller.runtime.database.begin() as session:
        readings, turned = await reading_totals(session), await alarms(session)
    access = CorpusAccess(caller.runtime, caller.principal, corpus)
    keys = await (list_keys(access, paging) if corpus else list_operator_keys(caller, paging))
    manager = caller.runtime.jobs.job_manager
    return page(
        request,
        "service/operations.html",
        kinds=KINDS,
        counts={task["name"]: task for task in await manager.list_tasks_async()},
        failed=list(await manager.list_jobs_async(status="failed"))[-FAILED_SHOWN:],
        readings=readings,
        turned={name: count for name, count in sorted(turned.items()) if count},
        supervisor=provider.supervisor,
        corpora=(await list_corpora(caller, Paging(None, MAX_LIMIT))).items,
        keys=keys,
        keys_of=corpus,
    )
