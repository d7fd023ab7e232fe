"""Open WebUI's knowledge bases: what its synchroniser sends, and what it is told. Times are seconds since 1970."""

from typing import Annotated, Self
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import View
from api.http.schemas.chat import ClientInput
from registry.documents.store.files import StoredFile
from registry.platform.fields import Description, Name, Storable
from registry.sources.model import Source

MAX_FILES = 200_000

Path = Annotated[str, Field(max_length=2_000), Storable]
Checksum = Annotated[str, Field(max_length=200), Storable]


class KnowledgeInput(ClientInput):
    """A new knowledge base."""

    name: Name
    """Name of the source that it becomes."""
    description: Description = ""
    """Content of the knowledge base."""


class ManifestEntry(ClientInput):
    """A file of what is synchronised."""

    filename: Path
    """Its name."""
    path: Path = ""
    """The folder that it is in; empty for the uppermost one."""
    checksum: Checksum
    """Changes with its content."""


class SyncDiffInput(ClientInput):
    """All files that a knowledge base shall have."""

    manifest: Annotated[list[ManifestEntry], Field(max_length=MAX_FILES)]
    """The files."""


class SyncCleanupInput(ClientInput):
    """Files that a knowledge base shall not have any more."""

    file_ids: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=MAX_FILES)]
    """Their ids; others are ignored."""


class FileMetadata(ClientInput):
    """Metadata that is sent beside a file, as JSON text."""

    knowledge_id: Path
    """The knowledge base."""
    file_hash: Checksum = ""
    """Changes with the content of the file; empty: the SHA-256 of its bytes."""
    directory_id: Path | None = None
    """The folder that it is in, as `directory_map` has it."""


class KnowledgeView(View):
    """A knowledge base: a source of the corpus."""

    id: UUID = Field(description="Identifier of the source.")
    name: str = Field(description="Name of the source.", examples=["Handbook"])
    description: str = Field(description="What is in it.")
    created_at: int = Field(description="When it was made.")
    updated_at: int = Field(description="When it last changed.")

    @classmethod
    def of(cls, source: Source) -> Self:
        times = {name: int(getattr(source, name).timestamp()) for name in ("created_at", "updated_at")}
        return cls(id=source.id, name=source.name, description=source.description, **times)


class KnowledgeList(View):
    """The knowledge bases of a corpus."""

    items: list[KnowledgeView] = Field(description="All sources of the corpus, oldest first.")
    total: int = Field(description="How many there are.")


class FileMeta(View):
    """Metadata of a file."""

    name: str = Field(description="Its path.", examples=["guides/start.md"])
    size: int = Field(description="Its bytes.")
    file_hash: str = Field(description="The checksum that it was sent with.")


class FileView(View):
    """A file of a knowledge base: a document."""

    id: UUID = Field(description="Identifier of the document.")
    filename: str = Field(description="Its name.", examples=["start.md"])
    meta: FileMeta = Field(description="What is known of it.")
    created_at: int = Field(description="When it was first sent.")
    updated_at: int = Field(description="When it last changed.")

    @classmethod
    def of(cls, file: StoredFile) -> Self:
        return cls(
            id=file.id,
            filename=file.path.rpartition("/")[2],
            meta=FileMeta(name=file.path, size=file.size, file_hash=file.checksum),
            created_at=int(file.created_at.timestamp()),
            updated_at=int(file.updated_at.timestamp()),
        )


class FileList(View):
    """The files of a knowledge base."""

    items: list[FileView] = Field(description="All of them, oldest first.")
    total: int = Field(description="How many there are.")


class AddedFile(View):
    """A file to send."""

    filename: str = Field(description="Its name.")
    path: str = Field(description="The folder that it is in.")


class ModifiedFile(AddedFile):
    """A file to send again."""

    stale_file_id: str = Field(description="Always empty: the file that is sent replaces the former one.")


class DeletedFile(View):
    """A file to remove."""

    file_id: UUID = Field(description="Identifier of the document.")
    filename: str = Field(description="Its name.")


class SyncDiff(View):
    """The changes by which a knowledge base has the files of a manifest."""

    added: list[AddedFile] = Field(description="Files to send.")
    modified: list[ModifiedFile] = Field(description="Files to send again.")
    deleted: list[DeletedFile] = Field(description="Files to remove; none for keys without the scope `admin`.")
    mkdir: list[str] = Field(description="Folders to make: none, as a folder is a part of the path of a file.")
    rmdir: list[str] = Field(description="Folders to remove: none.")
    unmodified_count: int = Field(description="How many files are there as listed.")
    directory_map: dict[str, str] = Field(description="Ids of folders by their paths: the paths themselves.")


class SyncStatus(View):
    """The result of the removal of files."""

    status: bool = Field(description="Always true.")
