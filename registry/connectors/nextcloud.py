"""Items that Nextcloud sends, as documents for those of its users who may see them.

The uppermost folder of a file is its source: people who keep files together, as those of a project, vouch for them
together. Items of other apps have no folders, so that their provider is their source.
"""

import mimetypes
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from uuid import UUID

import structlog
from uuid_utils.compat import uuid7

from registry.connectors.files import sent_document
from registry.corpora.model import Corpus
from registry.documents import store as documents
from registry.documents.imports import Line, write_documents
from registry.documents.schemas import DocumentLine, LineStatus
from registry.documents.store import nextcloud
from registry.documents.store.nextcloud import MODIFIED, PROVIDER, Item, Which
from registry.platform.errors import InvalidInput, NotFound
from registry.platform.fields import CONTROL
from registry.runtime import Runtime

FILES = "files__default"
# Of files that several people have, the app calls the uppermost folder by a number.
TEAM_FOLDERS = "__groupfolders"
MAX_NAME, MAX_TITLE = 300, 2_000

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SentItem:
    """An item as it was sent."""

    id: str
    provider: str
    title: str
    """Its title; of a file its path."""
    media_type: str
    modified: datetime
    users: Sequence[str]
    """The users who may see it."""
    content: bytes

    @property
    def source(self) -> str:
        """The external id of the source that it belongs to."""
        return source_of(self.provider, self.title)

    @property
    def groups(self) -> list[str]:
        """The groups that its users are here."""
        return sorted(map(group_of, set(self.users)))


def group_of(user: str) -> str:
    """The group that a user of Nextcloud is here, apart from groups of the same name.

    >>> group_of("alice")
    'nextcloud:alice'
    """
    return f"nextcloud:{user}"


def source_of(provider: str, path: str) -> str:
    """The provider of an item, with the uppermost folder of a file.

    >>> source_of(FILES, "files/Projects/mill/plan.md"), source_of(FILES, "/alice/files/plan.md")
    ('files__default: Projects', 'files__default')
    >>> source_of(FILES, "__groupfolders/3/plan.md"), source_of("mail__mail", "Re: 1/2 done")
    ('files__default: __groupfolders/3', 'mail__mail')
    """
    if provider != FILES:
        return provider
    folders = [name for name in path.split("/")[:-1] if name]
    if "files" in folders[:2]:
        folders = folders[folders.index("files") + 1 :]
    place = CONTROL.sub(" ", "/".join(folders[: 2 if folders[:1] == [TEAM_FOLDERS] else 1]))
    return f"{provider}: {place}"[:MAX_NAME] if place else provider


async def load(runtime: Runtime, corpus: Corpus, sent: Sequence[SentItem], key_id: UUID | None = None) -> list[str]:
    """Store items that are new or changed, each for its users and nobody else; returns the ids of those stored now.

    Those that cannot be read, and those that nobody may see, are not among them. Raises as `write_documents` does.
    """
    ids = {item.id for item in sent}
    async with runtime.database.begin() as session:
        stored = {item.external_id: item for item in await nextcloud.items(session, corpus, Which(ids=ids))}
        for item in sent:
            if item.id in stored:
                await nextcloud.change_access(session, corpus, Which(ids=[item.id]), "only", item.groups)
    await remove(runtime, corpus, Which(ids=ids, unseen=True))
    changed = [item for item in sent if item.users and not _is_stored(item, stored.get(item.id))]
    read = [(item, document) for item in changed if (document := await _document(runtime, item)) is not None]
    lines = [Line(number, uuid7(), document) for number, (_, document) in enumerate(read)]
    results = await write_documents(runtime, corpus, lines, key_id=key_id) if lines else []
    written = {result.external_id or "" for result in results if result.status is not LineStatus.REJECTED}
    for item, _ in read:
        known = stored.get(item.id)
        if known is not None and item.id in written and known.source != item.source:
            await _delete(runtime, corpus, known)
    return sorted(written.union(item.id for item in sent if item.users and item not in changed))


async def remove(runtime: Runtime, corpus: Corpus, which: Which) -> None:
    """Delete documents of Nextcloud, each for itself, as there may be many."""
    async with runtime.database.begin() as session:
        gone = await nextcloud.items(session, corpus, which)
    for item in gone:
        await _delete(runtime, corpus, item)


async def _delete(runtime: Runtime, corpus: Corpus, item: Item) -> None:
    with suppress(NotFound):
        async with runtime.database.begin() as session:
            await documents.delete(session, corpus, item.source_id, item.id)


def _is_stored(item: SentItem, known: Item | None) -> bool:
    return known is not None and known.modified >= item.modified.timestamp() and known.source == item.source


async def _document(runtime: Runtime, item: SentItem) -> DocumentLine | None:
    """The document of an item; None where it has no text."""
    path = PurePosixPath(item.title)
    suffix = path.suffix if item.provider == FILES else mimetypes.guess_extension(item.media_type)
    try:
        document = await sent_document(runtime, f"item{suffix or ''}", item.content)
    except InvalidInput as error:
        log.warning("item_not_read", item=item.id, why=error)
        return None
    return document.model_copy(
        update={
            "source": item.source,
            "external_id": item.id,
            "title": (path.name if item.provider == FILES else item.title)[:MAX_TITLE],
            "published_at": item.modified,
            "attributes": {PROVIDER: item.provider, MODIFIED: int(item.modified.timestamp())},
            "allowed_groups": item.groups,
        }
    )
