"""PostgreSQL: the server, its pooler and its replica."""

from pathlib import Path
from typing import Self

from platformdirs import user_data_path
from pydantic import AliasChoices, BaseModel, Field, SecretStr, model_validator


class DatabaseSettings(BaseModel):
    """Where the database is, and how it is used."""

    database_url: SecretStr | None = Field(
        default=None,
        validation_alias=AliasChoices("DATABASE_URL", "CREDENCE_DATABASE_URL"),
        description="PostgreSQL 15 or newer with pgvector, e.g. `postgresql://user:secret@host/credence?sslmode=verify-full`"
        " (variable `DATABASE_URL`). Without it an embedded server is started.",
    )
    database_direct_url: SecretStr | None = Field(
        default=None,
        validation_alias=AliasChoices("DATABASE_DIRECT_URL", "CREDENCE_DATABASE_DIRECT_URL"),
        description="The server itself, where `DATABASE_URL` is that of a PgBouncer in transaction mode.",
    )
    database_replica_url: SecretStr | None = Field(
        default=None,
        validation_alias=AliasChoices("DATABASE_REPLICA_URL", "CREDENCE_DATABASE_REPLICA_URL"),
        description="A streaming replica of that server, which questions and searches are read from.",
    )
    backup_key: SecretStr | None = Field(
        default=None,
        min_length=16,
        description="Signs the manifests of backups; `credence restore` refuses those that are not signed with it.",
    )
    data_dir: Path = Field(
        default_factory=lambda: user_data_path("credence"), description="Where the embedded server keeps its data."
    )
    database_pool_size: int = Field(
        default=10, ge=1, le=200, description="Connections of a process, beside those of its locks and its job queue."
    )
    database_timeout_seconds: float = Field(
        default=30.0, gt=0, description="The longest one SQL statement may take, and the longest wait for a connection."
    )
    vector_index_passages: int = Field(
        default=200_000, ge=1, description="Passages, of all corpora, from which there is an index of their embeddings."
    )

    @model_validator(mode="after")
    def _names_servers(self) -> Self:
        if self.database_url is None and (self.database_direct_url or self.database_replica_url):
            raise ValueError("DATABASE_DIRECT_URL and DATABASE_REPLICA_URL need DATABASE_URL")
        if self.database_replica_url is not None and self.database_replica_url == self.database_url:
            raise ValueError("DATABASE_REPLICA_URL is DATABASE_URL; it names the replica, or is left out")
        return self
