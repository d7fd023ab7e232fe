"""What gold answers say of a corpus: accuracy by method, calibration, and each source's reliability."""

import asyncio

from fastapi import Request
from markupsafe import Markup
from starlette.responses import Response

from api.evaluation_plots import MOST_SOURCES, calibration_plot, sources_plot
from api.http.dependencies import AdminAccess, CorpusAccess, ReadAccess
from api.pages.rendering import page
from api.pages.visitors import page_router
from registry.database.locks import try_lock
from registry.errors import Conflict, InvalidInput
from registry.evaluation import evaluate
from registry.results.evaluation import Evaluation
from registry.store import queries, reliabilities

router = page_router("/corpora/{corpus}/quality")


@router.get("")
async def show_quality(request: Request, access: ReadAccess) -> Response:
    """What can be evaluated, and the button that does it."""
    return await _page(request, access)


@router.post("")
async def show_evaluation(request: Request, access: AdminAccess) -> Response:
    """Evaluate now, within the time of a question, and show the report, which is not stored."""
    seconds = access.runtime.settings.answer_timeout_seconds
    try:
        return await _page(request, access, evaluation=await _evaluate(access, seconds))
    except (Conflict, InvalidInput) as error:
        return await _page(request, access, failure=str(error))
    except TimeoutError:
        reason = f"The evaluation did not end within {seconds:g} s. Its readings are kept: evaluate again to go on."
        return await _page(request, access, failure=reason)


async def _evaluate(access: CorpusAccess, seconds: float) -> Evaluation:
    corpus = await access.corpus()
    async with try_lock(access.runtime.database, f"evaluation:{corpus.id}") as lock:
        if lock is None:
            raise Conflict("Somebody is evaluating this corpus right now; try again in a minute.")
        async with asyncio.timeout(seconds):
            return await evaluate(access.runtime, corpus)


async def _page(
    request: Request, access: CorpusAccess, *, evaluation: Evaluation | None = None, failure: str | None = None
) -> Response:
    async with access.begin() as (session, corpus):
        run = await reliabilities.current_run(session, corpus)
        gold = await queries.gold_count(session, corpus)
    judged = [source.agrees for source in evaluation.sources if source.agrees is not None] if evaluation else []
    return page(
        request,
        "corpora/quality.html",
        status=200 if failure is None else 422,
        corpus=corpus.name,
        run=run,
        gold=gold,
        evaluation=evaluation,
        failure=failure,
        judged=len(judged),
        covered=sum(judged),
        calibration_plot=Markup(calibration_plot(evaluation.calibration) if evaluation else ""),  # noqa: S704  (it escapes the names in it)
        sources_plot=Markup(sources_plot(evaluation.sources) if evaluation else ""),  # noqa: S704  (it escapes the names in it)
        most_sources=MOST_SOURCES,
    )
