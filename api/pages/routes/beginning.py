"""The first steps of a corpus in a browser: the demo, an upload, connectors, and what comes next."""

import json
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass
from typing import Annotated, Self

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse
from starlette.datastructures import UploadFile
from starlette.responses import Response

from api.demo import load as demo
from api.http.authorization import principal_of
from api.http.dependencies import (
    AccessWith,
    CallerWith,
    CorpusAccess,
    IngestAccess,
    OperatorCaller,
    Paging,
    PublishAccess,
)
from api.http.errors import UnsupportedMediaType
from api.http.middleware.admission import subject_of
from api.http.routes.connectors import list_connectors
from api.pages.options import options_of
from api.pages.rendering import address, page
from api.pages.uploads import ACCEPTED, ImportReport, Sent
from api.pages.visitors import PageRoute, limits_of, page_router, require_form_token, require_visitor
from registry.answers import store as answers
from registry.connectors.kinds import CONNECTORS
from registry.connectors.service import is_open
from registry.documents.imports import import_documents_of_sources, import_queries
from registry.documents.schemas import LineStatus
from registry.estimations import service as estimation
from registry.keys.rates import RateKind
from registry.keys.schemas import Scope
from registry.platform.database.paging import MAX_LIMIT
from registry.platform.enums import Trigger
from registry.platform.errors import Conflict
from registry.platform.fields import is_storable
from registry.queries import store as queries
from registry.sources import store as sources
from registry.sources.store import estimates


async def admit_import(request: Request) -> None:
    """Raises `TooManyRequests` where imports have reached the limit a minute, which uploads share with `/v1`.

    Raises `UnsupportedMediaType` for other forms than those with files, of which the fields would be kept in memory.
    """
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise UnsupportedMediaType("Send the file as `multipart/form-data`, as the form of the page does.")
    subject = subject_of(request.scope)
    if subject is not None:
        requests = principal_of(request.scope).requests_per_minute
        await limits_of(request).take_shared(RateKind.IMPORT, subject, requests)


router = page_router("/corpora/{corpus}")
# The check of the token reads the body, up to the size of an import: nobody who may not import gets so far.
uploads = APIRouter(
    prefix="/corpora/{corpus}",
    dependencies=[
        Depends(dependency)
        for dependency in (require_visitor, CallerWith((Scope.INGEST,)), admit_import, require_form_token)
    ],
    route_class=PageRoute,
)
demo_corpus = page_router()

MAX_QUESTIONS_CHARACTERS = 200_000
OPTIONS = {kind.name: options_of(kind.config) for kind in CONNECTORS}

ReadOrIngestAccess = Annotated[CorpusAccess, Depends(AccessWith((Scope.READ, Scope.INGEST), for_bound=True))]


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps towards an answer that a corpus has completed."""

    documents: bool
    questions: bool
    estimated: bool
    answered: bool

    @classmethod
    async def of(cls, access: CorpusAccess) -> Self:
        """The steps that have been taken."""
        async with access.begin() as (session, corpus):
            return cls(
                documents=bool((await sources.page(session, corpus, cursor=None, limit=1)).items),
                questions=bool((await queries.page(session, corpus, cursor=None, limit=1, viewer=access.viewer)).items),
                estimated=await estimates.current_run(session, corpus) is not None,
                answered=await answers.has_succeeded(session, corpus, access.viewer),
            )

    @property
    def next(self) -> str:
        """The first step that has not been taken."""
        names = ("documents", "questions", "estimated", "answered")
        return next((name for name in names if not getattr(self, name)), "")


async def show_steps(
    request: Request, access: CorpusAccess, *, imported: str = "", report: ImportReport | None = None
) -> Response:
    """The page, with the report of an import where one was just made."""
    status = 200 if report is None or report.is_clean else 422
    may_read = access.principal.may(Scope.READ) and access.viewer.sees_all
    return page(
        request,
        "corpora/beginning.html",
        status=status,
        corpus=access.corpus_name,
        steps=await Steps.of(access),
        connectors=(await list_connectors(access, Paging(None, MAX_LIMIT))).items if may_read else [],
        kinds=[kind for kind in CONNECTORS if is_open(kind, access.runtime.settings)],
        options=OPTIONS,
        accepted=",".join(ACCEPTED),
        imported=imported,
        report=report,
        demo_corpus=demo.NAME,
    )


@router.get("/documents")
@router.get("/documents:import")
@router.get("/queries")
async def show_beginning(request: Request, access: ReadOrIngestAccess) -> Response:
    """The ways to documents and questions."""
    return await show_steps(request, access)


@uploads.post("/documents:import")
async def upload(request: Request, access: PublishAccess) -> Response:
    """Import files or a text, which go the way of an import over HTTP."""
    async with request.form() as form:
        files = [file for file in form.getlist("file") if isinstance(file, UploadFile) and file.filename]
        source, title, text = (str(form.get(name) or "").strip() for name in ("source", "title", "text"))
        runtime = access.runtime
        sent = Sent(files, source, title, text, runtime.settings.connector_max_bytes, runtime.processes)
        if not files and not text:
            report = ImportReport(failures=["Choose a file, or paste a text."])
        else:
            results = import_documents_of_sources(
                runtime, await access.corpus(), sent.lines(), key_id=access.principal.key_id
            )
            report = await ImportReport.of(results, sent.failures)
    return await show_steps(request, access, imported="document", report=report)


@router.post("/queries")
async def add_questions(
    request: Request, access: IngestAccess, questions: Annotated[str, Form(max_length=MAX_QUESTIONS_CHARACTERS)] = ""
) -> Response:
    """Import questions, one a line; those that the corpus has already stay as they are."""
    lines = [line.strip() for line in questions.splitlines()]
    async with access.begin() as (session, corpus):
        present = await queries.present_texts(session, corpus, filter(is_storable, lines))
    report = await ImportReport.of(import_queries(access.runtime, corpus, _queries(lines, present)))
    if present:
        report.counts[LineStatus.UNCHANGED] += len(present)
    return await show_steps(request, access, imported="question", report=report)


async def _queries(lines: Sequence[str], present: Collection[str]) -> AsyncIterator[bytes]:
    added = set(present)
    for line in lines:
        yield json.dumps({"text": line}).encode() if line and line not in added else b""
        added.add(line)


@demo_corpus.post("/demo")
async def begin_demo(caller: OperatorCaller) -> Response:
    """Load the demo corpus and lead on to its estimation, which is queued unless there is one."""
    caller.runtime.require_reader()
    loaded = await demo.load(caller.runtime)
    async with caller.runtime.database.begin() as session:
        current = await estimates.current_run(session, loaded.corpus)
    if current is not None:
        return RedirectResponse(address("corpora", demo.NAME, "sources"), 303)
    try:
        run = await estimation.start(caller.runtime, loaded.corpus, demo.PARAMETERS, Trigger.HTTP)
    except Conflict:
        return RedirectResponse(address("corpora", demo.NAME, "estimations"), 303)
    return RedirectResponse(address("corpora", demo.NAME, "estimations", run.id), 303)
