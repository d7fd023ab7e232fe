"""Documents of a source, single and in bulk."""

from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query, Request, Response

from api.http.dependencies import PROTECTED, AdminAccess, CorpusAccess, PageParameters, PublishAccess, ReadAccess
from api.http.openapi import examples
from api.http.openapi.responses import created, importing
from api.http.routes.sources import SourceReference
from api.http.schemas.documents import (
    DocumentList,
    DocumentSummary,
    DocumentView,
    RevisionList,
    RevisionView,
)
from api.http.streaming.request_lines import import_lines
from api.http.streaming.result_lines import ResultLines
from registry.disputes.contradictions import contradictions_of, with_contradictions
from registry.documents import store as documents
from registry.documents.imports import import_documents, import_documents_of_sources
from registry.documents.schemas import DocumentInput, IngestResult
from registry.documents.service import ingest
from registry.documents.store import revisions
from registry.documents.value_schemas import parse_columns
from registry.keys.schemas import Scope
from registry.platform.errors import Forbidden, InvalidInput

router = APIRouter(prefix="/v1/corpora/{corpus}/sources/{source_id}", tags=["documents"], dependencies=PROTECTED)
of_corpus = APIRouter(prefix="/v1/corpora/{corpus}", tags=["documents"], dependencies=PROTECTED)

Contradictions = Annotated[
    int,
    Query(
        ge=0,
        le=1_000_000,
        description="Most readings that it takes to look for what other sources published against its documents; 0: it "
        "does not look. Needs the scope `read` too.",
    ),
]
# The largest integer of the database.
MAX_REVISION = 2**31 - 1
DocumentId = Annotated[UUID, Path(description="Identifier of the document.")]
StatedValues = Annotated[
    str,
    Query(
        description="The lines are rows of a table that state values, which are votes without a reader. Names the "
        "column of the subject and of each relation, or of subject, relation and value.",
        examples=["subject=country, capital, area=area_km2"],
    ),
]
_LINES = '{"external_id":"a","content":"Announced in Oslo."}\n{"external_id":"b","content":"Announced in Bergen."}\n'
_LINES_OF_SOURCES = (
    '{"source":"Herald","external_id":"a","content":"Announced in Oslo."}\n'
    '{"source":"Gazette","external_id":"a","content":"Announced in Bergen."}\n'
)


@router.post(
    "/documents",
    status_code=201,
    summary="Send a document",
    responses={201: created("It is new."), 200: {**created("It was there already."), "model": IngestResult}},
)
async def send_document(
    body: Annotated[DocumentInput, examples.DOCUMENT],
    access: PublishAccess,
    source_id: SourceReference,
    response: Response,
    contradictions: Contradictions = 0,
) -> IngestResult:
    """Text, Markdown or HTML. Replaces the document with the same `external_id`."""
    _require_reading(access, contradictions)
    corpus, source = await access.corpus_and_own_source(source_id)
    result = (await ingest(access.runtime, corpus, source.id, [body], key_id=access.principal.key_id))[0]
    response.headers["Location"] = access.path("sources", source.id, "documents", result.document_id)
    response.status_code = 201 if result.status == "created" else 200
    found = await contradictions_of(access.runtime, corpus, result, contradictions)
    return result.model_copy(update={"contradictions": found})


@router.post(
    "/documents:import",
    summary="Send many documents",
    **importing("DocumentInput", _LINES),
)
async def send_documents(
    request: Request,
    access: PublishAccess,
    source_id: SourceReference,
    stated_values: StatedValues = "",
    contradictions: Contradictions = 0,
) -> ResultLines:
    """NDJSON, a document a line, also gzipped; answered with a result a line, while the rest is still being read.

    A bad line is rejected and does not touch the others. Lines are upserted by `external_id`: sending the same file
    again, in whole or from where it broke off, changes nothing that is there.
    """
    _require_reading(access, contradictions)
    lines, columns = import_lines(request, access.runtime.settings), _columns(stated_values)
    corpus, source = await access.corpus_and_own_source(source_id)
    take = partial(import_documents, access.runtime, corpus, source.id, key_id=access.principal.key_id, columns=columns)
    return ResultLines(lines, lambda sent: with_contradictions(access.runtime, corpus, take(sent), contradictions))


@of_corpus.post(
    "/documents:import",
    summary="Send many documents of many sources",
    **importing("DocumentLine", _LINES_OF_SOURCES),
)
async def send_documents_of_sources(
    request: Request, access: PublishAccess, stated_values: StatedValues = "", contradictions: Contradictions = 0
) -> ResultLines:
    """Like the import of one source, but every line names its `source`, by its external id, id or name.

    An unknown name becomes a new source, with the name as its external id. Lines of sources that the key is not bound
    to are rejected.
    """
    _require_reading(access, contradictions)
    lines = import_lines(request, access.runtime.settings)
    columns, corpus, key_id = _columns(stated_values), await access.corpus(), access.principal.key_id
    take = partial(import_documents_of_sources, access.runtime, corpus, key_id=key_id, columns=columns)
    return ResultLines(lines, lambda sent: with_contradictions(access.runtime, corpus, take(sent), contradictions))


def _require_reading(access: CorpusAccess, contradictions: int) -> None:
    """Raises `Forbidden` where an import would tell what others published to whoever may not read it."""
    principal = access.principal
    if contradictions and (principal.source_bound is not None or not principal.may(Scope.READ)):
        raise Forbidden(
            "Only keys with the scope `read` are told what other sources published: leave `contradictions` out."
        )


@router.get("/documents", summary="List documents")
async def list_documents(
    access: ReadAccess,
    source_id: SourceReference,
    paging: PageParameters,
    reference: Annotated[
        str | None, Query(description="Only the document with this external id, else with this id.")
    ] = None,
) -> DocumentList:
    """Returns the documents without their text."""
    async with access.at_source(source_id) as (session, corpus, source):
        if reference is not None:
            found = await documents.matching(session, source, reference, access.viewer)
            return DocumentList(items=[DocumentSummary.model_validate(each) for each in found], next_cursor=None)
        page = await documents.page(
            session, corpus, source.id, cursor=paging.cursor, limit=paging.limit, viewer=access.viewer
        )
    return DocumentList.of(page, DocumentSummary.model_validate)


@router.get("/documents/{document_id}", summary="Read a document")
async def get_document(access: ReadAccess, source_id: SourceReference, document_id: DocumentId) -> DocumentView:
    async with access.at_source(source_id) as (session, corpus, source):
        document = await documents.get(session, corpus, source.id, document_id, access.viewer)
    return DocumentView.model_validate(document)


@of_corpus.get("/documents/{document_id}/revisions", summary="List the revisions of a document")
async def list_revisions(access: ReadAccess, document_id: DocumentId) -> RevisionList:
    """The current one, and the former ones that are kept (`CREDENCE_KEEP_REVISIONS`)."""
    async with access.begin() as (session, corpus):
        document, _ = await documents.find(session, corpus, document_id, access.viewer)
        kept = await revisions.history(session, document, access.viewer)
    return RevisionList(items=kept, next_cursor=None)


@of_corpus.get("/documents/{document_id}/revisions/{revision}", summary="Read a revision of a document")
async def get_revision(
    access: ReadAccess,
    document_id: DocumentId,
    revision: Annotated[int, Path(ge=1, le=MAX_REVISION, description="Its number.")],
) -> RevisionView:
    """Returns the revision that a citation names, even if the document was replaced since."""
    async with access.begin() as (session, corpus):
        document, _ = await documents.find(session, corpus, document_id, access.viewer)
        return RevisionView.model_validate(await revisions.get(session, document, revision, access.viewer))


@router.delete("/documents/{document_id}", status_code=204, summary="Delete a document")
async def delete_document(access: AdminAccess, source_id: SourceReference, document_id: DocumentId) -> None:
    """Deletes its passages too."""
    async with access.at_source(source_id) as (session, corpus, source):
        await documents.delete(session, corpus, source.id, document_id)


def _columns(stated_values: str) -> dict[str, str]:
    try:
        return parse_columns(stated_values) if stated_values else {}
    except ValueError as error:
        raise InvalidInput(f"stated_values {error}.", field="stated_values") from error
