"""Open WebUI's knowledge API, as its synchroniser oikb 0.6 calls it: a knowledge base is a source of the corpus, and a
file a document of it.
"""

import hashlib
from collections.abc import Collection, Sequence
from pathlib import PurePosixPath
from typing import Annotated

from fastapi import APIRouter, File, Form, Security, UploadFile
from pydantic import Json

from api.http.dependencies import BEARER, PROTECTED, AdminAccess, CorpusAccess, PublishAccess, ReadAccess
from api.http.openapi import examples
from api.http.routes.sources import SourceReference
from api.http.schemas.open_webui import (
    AddedFile,
    DeletedFile,
    FileList,
    FileMetadata,
    FileView,
    KnowledgeInput,
    KnowledgeList,
    KnowledgeView,
    ManifestEntry,
    ModifiedFile,
    SyncCleanupInput,
    SyncDiff,
    SyncDiffInput,
    SyncStatus,
)
from registry.connectors.files import sent_document
from registry.documents import store as documents
from registry.documents.service import ingest
from registry.documents.store.files import CHECKSUM, SIZE, files_of
from registry.keys.schemas import Scope
from registry.keys.service import require_within
from registry.platform.database.paging import MAX_LIMIT
from registry.platform.errors import NotFound
from registry.sources import store as sources
from registry.sources.schemas import SourceInput

PREFIX = "/v1/corpora/{corpus}/open-webui/api/v1"
router = APIRouter(prefix=PREFIX, tags=["sync clients"], dependencies=PROTECTED)
# It takes a form, not JSON.
uploads = APIRouter(prefix=PREFIX, tags=["sync clients"], dependencies=[Security(BEARER)])


@router.get("/knowledge/", summary="List knowledge bases for Open WebUI")
async def list_knowledge(access: ReadAccess) -> KnowledgeList:
    """All sources of the corpus."""
    found, cursor = [], None
    async with access.begin() as (session, corpus):
        while True:
            page = await sources.page(session, corpus, cursor=cursor, limit=MAX_LIMIT)
            found += [KnowledgeView.of(source) for source in page.items]
            if (cursor := page.next_cursor) is None:
                return KnowledgeList(items=found, total=len(found))


@router.post("/knowledge/create", summary="Make a knowledge base for Open WebUI")
async def create_knowledge(access: PublishAccess, body: KnowledgeInput) -> KnowledgeView:
    """A source of that name."""
    values = SourceInput(name=body.name, description=body.description)
    async with access.begin() as (session, corpus):
        return KnowledgeView.of(await sources.create(session, corpus, values, access.principal.source_bound))


@router.get("/knowledge/{source_id}", summary="Read a knowledge base for Open WebUI")
async def get_knowledge(access: ReadAccess, source_id: SourceReference) -> KnowledgeView:
    async with access.at_source(source_id) as (_, _, source):
        return KnowledgeView.of(source)


@router.get("/knowledge/{source_id}/files", summary="List files of a knowledge base for Open WebUI")
async def list_knowledge_files(access: ReadAccess, source_id: SourceReference) -> FileList:
    """Documents that were sent otherwise are left out."""
    async with access.at_source(source_id) as (session, _, source):
        found = await files_of(session, source, access.viewer)
    return FileList(items=[FileView.of(file) for file in found], total=len(found))


@router.post("/knowledge/{source_id}/sync/diff", summary="Compare files for Open WebUI")
async def sync_diff(
    access: PublishAccess, source_id: SourceReference, body: Annotated[SyncDiffInput, examples.SYNC_DIFF]
) -> SyncDiff:
    """The files that a knowledge base lacks of those listed, and those that it has beside them."""
    async with access.at_source(source_id) as (session, _, source):
        require_within(access.principal.source_bound, source)
        stored = {file.path: file for file in await files_of(session, source, access.viewer)}
    listed = {_path_of(entry.path, entry.filename): entry for entry in body.manifest}
    changed = [entry for path, entry in listed.items() if path in stored and stored[path].checksum != entry.checksum]
    new = [entry for path, entry in listed.items() if path not in stored]
    gone = [file for path, file in stored.items() if path not in listed]
    return SyncDiff(
        added=[AddedFile(filename=entry.filename, path=entry.path) for entry in new],
        modified=[ModifiedFile(filename=entry.filename, path=entry.path, stale_file_id="") for entry in changed],
        deleted=[DeletedFile(file_id=file.id, filename=file.path) for file in gone]
        if access.principal.may(Scope.ADMIN)
        else [],
        mkdir=[],
        rmdir=[],
        unmodified_count=len(listed) - len(new) - len(changed),
        directory_map=_folders(body.manifest),
    )


@router.post("/knowledge/{source_id}/sync/cleanup", summary="Remove files for Open WebUI")
async def sync_cleanup(access: PublishAccess, source_id: SourceReference, body: SyncCleanupInput) -> SyncStatus:
    """Needs the scope `ingest`, and `admin` where there is something to remove."""
    await _remove(access, source_id, set(body.file_ids))
    return SyncStatus(status=True)


@router.post("/knowledge/{source_id}/reset", summary="Remove all files for Open WebUI")
async def reset_knowledge(access: AdminAccess, source_id: SourceReference) -> KnowledgeView:
    """All files of the knowledge base; documents that were sent otherwise stay."""
    await _remove(access, source_id)
    return await get_knowledge(access, source_id)


@uploads.post("/files/", summary="Send a file for Open WebUI")
async def send_file(
    access: PublishAccess,
    file: Annotated[UploadFile, File(description="Text of any kind, Markdown, HTML, PDF or Office.")],
    metadata: Annotated[Json[FileMetadata], Form(description="A `FileMetadata` as JSON text: where it belongs.")],
) -> FileView:
    """A document of the knowledge base that the metadata name; one of the same path is replaced."""
    corpus, source = await access.corpus_and_own_source(metadata.knowledge_id)
    content, path = await file.read(), _path_of(metadata.directory_id or "", file.filename or "")
    document = await sent_document(access.runtime, path, content)
    known_by = {CHECKSUM: metadata.file_hash or hashlib.sha256(content).hexdigest(), SIZE: len(content)}
    document = document.model_copy(update={"attributes": known_by})
    result = (await ingest(access.runtime, corpus, source.id, [document], key_id=access.principal.key_id))[0]
    async with access.begin() as (session, _):
        stored = await files_of(session, source, access.viewer, only=result.document_id)
    if not stored:
        raise NotFound("document", result.document_id)
    return FileView.of(stored[0])


async def _remove(access: CorpusAccess, source_id: str, file_ids: Collection[str] | None = None) -> None:
    """Remove these files of a knowledge base, or all; each for itself, as there may be many."""
    corpus, source = await access.corpus_and_own_source(source_id)
    async with access.begin() as (session, _):
        stored = [file.id for file in await files_of(session, source, access.viewer)]
    gone = stored if file_ids is None else [each for each in stored if str(each) in file_ids]
    if gone:
        access.require(Scope.ADMIN)
    for document_id in gone:
        async with access.begin() as (session, _):
            await documents.delete(session, corpus, source.id, document_id)


def _path_of(folder: str, filename: str) -> str:
    return f"{folder}/{filename}" if folder else filename


def _folders(manifest: Sequence[ManifestEntry]) -> dict[str, str]:
    """All folders of the files, and those above them."""
    paths = {entry.path for entry in manifest if entry.path}
    above = {str(each) for path in paths for each in PurePosixPath(path).parents} - {".", "/"}
    return {path: path for path in sorted(paths | above)}
