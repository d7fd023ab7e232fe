"""Documents, their passages, the values that they state, and the embedding space of the passages."""

from datetime import datetime
from uuid import UUID

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import (
    CheckConstraint,
    ForeignKey,
    Index,
    LargeBinary,
    PrimaryKeyConstraint,
    Text,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, TSVECTOR
from sqlalchemy.orm import Mapped, mapped_column

from registry.platform.database.base import Base, Created, Identifier, Json, Updated


class Document(Updated, Base):
    """A document as extracted text; offsets of passages and citations count its characters."""

    __tablename__ = "documents"
    __table_args__ = (
        UniqueConstraint("source_id", "external_id"),
        Index(None, "source_id", "id"),
        Index("documents_changes_idx", "source_id", "updated_at"),
        # What a corpus and a key store is summed up from these indexes alone.
        Index(None, "source_id", "size"),
        Index(None, "key_id", "size", postgresql_where=text("key_id IS NOT NULL")),
        # Whether a corpus has documents that are for some groups only.
        Index("documents_groups_idx", "source_id", postgresql_where=text("allowed_groups IS NOT NULL")),
    )

    id: Mapped[Identifier]
    source_id: Mapped[UUID] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"))
    external_id: Mapped[str]
    title: Mapped[str] = mapped_column(default="")
    url: Mapped[str | None]
    media_type: Mapped[str]
    content: Mapped[str]
    content_hash: Mapped[bytes] = mapped_column(LargeBinary)
    # Bytes of content, title, attributes and stated values, and of former revisions, in UTF-8.
    size: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    # The API key that wrote it last. It is no foreign key, so that the document outlives it.
    key_id: Mapped[UUID | None]
    published_at: Mapped[datetime | None]
    attributes: Mapped[Json] = mapped_column(default=dict)
    # Who may see it; null is whom its source says.
    allowed_groups: Mapped[list[str] | None] = mapped_column(ARRAY(Text))
    # From 1, counted up whenever it is replaced.
    revision: Mapped[int] = mapped_column(default=1, server_default=text("1"))


class DocumentRevision(Base):
    """A former version of a document."""

    __tablename__ = "document_revisions"

    document_id: Mapped[UUID] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)
    revision: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    title: Mapped[str]
    url: Mapped[str | None]
    media_type: Mapped[str]
    content: Mapped[str]
    published_at: Mapped[datetime | None]
    attributes: Mapped[Json]
    # As of the document, which a viewer must see too.
    allowed_groups: Mapped[list[str] | None] = mapped_column(ARRAY(Text))
    stored_at: Mapped[datetime]
    replaced_at: Mapped[datetime] = mapped_column(server_default=func.now())


class EmbeddingSpace(Base):
    """The embedder that made all embeddings; at most one row, written by the first ingest."""

    __tablename__ = "embedding_space"
    __table_args__ = (CheckConstraint("single", name="single"),)

    single: Mapped[bool] = mapped_column(primary_key=True, default=True)
    embedder: Mapped[str]
    dimension: Mapped[int]
    created_at: Mapped[Created]


class Passage(Base):
    """A chunk of a document, the unit of retrieval.

    The table is partitioned by source and searched exactly, with an index-only scan of the embeddings in the primary
    key; where there are many, by the index that `registry.passages.store.index_maintenance` builds. A foreign key to
    `documents` would be checked row by row on every write; instead the code that deletes a document deletes its
    passages in the same transaction.
    """

    __tablename__ = "passages"
    __table_args__ = (
        PrimaryKeyConstraint("source_id", "document_id", "ordinal", postgresql_include=["embedding"]),
        Index(None, "lexemes", postgresql_using="gin"),
        {"postgresql_partition_by": "HASH (source_id)"},
    )

    source_id: Mapped[UUID]
    document_id: Mapped[UUID]
    ordinal: Mapped[int]
    start_offset: Mapped[int]
    end_offset: Mapped[int]
    content: Mapped[str]
    # The headings above it, the outermost first.
    heading: Mapped[str] = mapped_column(default="", server_default="")
    embedding: Mapped[list[float]] = mapped_column(HALFVEC())
    lexemes: Mapped[str] = mapped_column(TSVECTOR)
    # MinHash signature, by which near-duplicates are found; null for short passages.
    signature: Mapped[bytes | None] = mapped_column(LargeBinary)


class StatedValue(Base):
    """A value of a relation of a subject, as a document states it: its source's vote on the query about both."""

    __tablename__ = "stated_values"
    __table_args__ = (
        PrimaryKeyConstraint("document_id", "source_id", "ordinal"),
        Index("stated_values_about_idx", "corpus_id", "subject_key", "relation", "source_id"),
    )

    corpus_id: Mapped[UUID]
    source_id: Mapped[UUID]
    document_id: Mapped[UUID] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"))
    ordinal: Mapped[int]
    subject: Mapped[str]
    # What the names of one subject have in common, by which sources meet.
    subject_key: Mapped[str]
    relation: Mapped[str]
    value: Mapped[str]
