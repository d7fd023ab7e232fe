"""PostgreSQL: the server, its pooler and its replica."""

from pathlib import Path
from typing import Self

from platformdirs import user_data_path
from pydantic import AliasChoices, BaseModel, Field, SecretStr, model_validator


class DatabaseSettings(BaseModel):
    """The database and its connections."""

    database_url: SecretStr | None = Field(
        default=None,
        validation_alias=AliasChoices("DATABASE_URL", "CREDENCE_DATABASE_URL"),
        description="PostgreSQL 15 or newer with pgvector, such as `postgresql://user:secret@host/credence?sslmode=verify-full`."
        " Unset: the service starts an embedded server.",
    )
    database_direct_url: SecretStr | None = Field(
        default=None,
        validation_alias=AliasChoices("DATABASE_DIRECT_URL", "CREDENCE_DATABASE_DIRECT_URL"),
        description="The PostgreSQL server, if `DATABASE_URL` is a PgBouncer in transaction mode.",
    )
    database_replica_url: SecretStr | None = Field(
        default=None,
        validation_alias=AliasChoices("DATABASE_REPLICA_URL", "CREDENCE_DATABASE_REPLICA_URL"),
        description="A streaming replica from which questions and searches are read.",
    )
    backup_key: SecretStr | None = Field(
        default=None,
        min_length=16,
        description="Key that signs backups, at least 16 characters. `credence restore` then refuses other backups.",
    )
    data_dir: Path = Field(
        default_factory=lambda: user_data_path("credence"), description="Data folder of the embedded server."
    )
    database_pool_size: int = Field(
        default=10, ge=1, le=200, description="Connections of a process, without those of its locks and its job queue."
    )
    database_timeout_seconds: float = Field(
        default=30.0, gt=0, description="Time limit of an SQL statement, and of the wait for a connection."
    )
    vector_index_passages: int = Field(
        default=200_000,
        ge=1,
        description="Number of passages in the database from which they get an approximate vector index.",
    )

    @model_validator(mode="after")
    def _names_servers(self) -> Self:
        if self.database_url is None and (self.database_direct_url or self.database_replica_url):
            raise ValueError("DATABASE_DIRECT_URL and DATABASE_REPLICA_URL need DATABASE_URL")
        if self.database_replica_url is not None and self.database_replica_url == self.database_url:
            raise ValueError("DATABASE_REPLICA_URL equals DATABASE_URL; set it to the replica, or leave it out")
        return self
