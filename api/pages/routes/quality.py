"""The quality of a corpus by its gold answers: accuracy by method, calibration, and each source's reliability."""

import asyncio
from typing import Annotated
from uuid import UUID

from fastapi import Form, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from answering.debates.strategies import STRATEGIES
from api.http.dependencies import AdminAccess, CorpusAccess, ReadAccess
from api.http.routes.corpora import update_corpus
from api.pages.rendering import address, page
from api.pages.visitors import page_router
from registry.answers.schemas import AnswerParameters, Strategy
from registry.corpora.schemas import CorpusPatch
from registry.estimations import store as estimations
from registry.estimations.model import StoredEvaluation
from registry.estimations.store import estimates as stored_evaluations
from registry.evaluations.schemas import Evaluation
from registry.evaluations.service import evaluate
from registry.platform.database.locks import try_lock
from registry.platform.database.rows import get_row
from registry.platform.errors import Conflict, InvalidInput
from registry.queries import store as queries
from registry.sources.store import estimates

router = page_router("/corpora/{corpus}/quality")

SOURCES_SHOWN = 60


@router.get("")
async def show_quality(request: Request, access: ReadAccess) -> Response:
    """The report that was made last, what can be evaluated, and the button that does it."""
    return await _page(request, access)


@router.get("/{evaluation_id}")
async def show_evaluation(request: Request, access: ReadAccess, evaluation_id: UUID) -> Response:
    """A report, at an address that stays."""
    return await _page(request, access, evaluation_id)


@router.post("")
async def make_evaluation(
    request: Request,
    access: AdminAccess,
    strategy: Annotated[Strategy, Form()] = Strategy.WMV,
    kappa: Annotated[int | None, Form(ge=1, le=1000)] = None,
) -> Response:
    """Evaluate now, within the time of a question, and lead on to the report."""
    seconds = access.runtime.settings.answer_timeout_seconds
    try:
        evaluation_id = await _evaluate(access, AnswerParameters(strategy=strategy, kappa=kappa), seconds)
    except (Conflict, InvalidInput) as error:
        return await _page(request, access, failure=str(error))
    except TimeoutError:
        reason = f"The evaluation did not end within {seconds:g} s. Its readings are kept: evaluate again to go on."
        return await _page(request, access, failure=reason)
    return RedirectResponse(address("corpora", access.corpus_name, "quality", evaluation_id), 303)


@router.post("/use-gold")
async def set_use_gold(access: AdminAccess, use_gold: Annotated[bool, Form()]) -> Response:
    """Set whether estimations use gold answers."""
    await update_corpus(CorpusPatch(use_gold=use_gold), access)
    return RedirectResponse(address("corpora", access.corpus_name, "quality"), 303)


async def _evaluate(access: CorpusAccess, parameters: AnswerParameters, seconds: float) -> UUID:
    corpus = await access.corpus()
    async with try_lock(access.runtime.database, f"evaluation:{corpus.id}") as lock:
        if lock is None:
            raise Conflict("Somebody is evaluating this corpus right now; try again in a minute.")
        async with asyncio.timeout(seconds):
            evaluation = await evaluate(access.runtime, corpus, parameters=parameters)
    async with access.begin() as (session, corpus):
        return (await stored_evaluations.save_evaluation(session, corpus, evaluation)).id


async def _page(
    request: Request, access: CorpusAccess, evaluation_id: UUID | None = None, failure: str | None = None
) -> Response:
    async with access.begin() as (session, corpus):
        run = await estimates.current_run(session, corpus)
        gold = await queries.gold_count(session, corpus)
        fitted = await estimations.fitted_gold_count(session, run) if run else 0
        newest = await stored_evaluations.newest_evaluation(session, corpus)
        stored = newest if evaluation_id is None else await get_row(session, StoredEvaluation, corpus.id, evaluation_id)
    evaluation = Evaluation.model_validate(stored.report) if stored else None
    if evaluation is not None and not access.viewer.sees_all:
        evaluation = evaluation.model_copy(update={"mistakes": ()})
    judged = [source.agrees for source in evaluation.sources if source.agrees is not None] if evaluation else []
    return page(
        request,
        "corpora/quality.html",
        status=200 if failure is None else 422,
        corpus=corpus.name,
        run=run,
        gold=gold,
        fitted=fitted,
        uses_gold=corpus.use_gold,
        evaluation=evaluation,
        stored=stored,
        is_newest=stored is newest,
        failure=failure,
        strategies=STRATEGIES,
        chosen=Strategy.WMV,
        has_chat=access.runtime.chat is not None,
        judged=len(judged),
        covered=sum(judged),
        most_sources=SOURCES_SHOWN,
    )
