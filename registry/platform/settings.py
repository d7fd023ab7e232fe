"""Every setting of the service, typed. Each is read from the environment variable CREDENCE_<NAME>."""

from enum import StrEnum
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Self

from platformdirs import user_data_path
from pydantic import AliasChoices, BaseModel, BeforeValidator, Field, HttpUrl, SecretStr, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from answering.embedders import EMBEDDERS, EmbedderKind
from answering.judges import JUDGES
from answering.models import CHATS
from answering.providers import provider_named, summaries
from answering.readers import READERS, ReaderKind
from registry.platform.sign_in_settings import LOOPBACK, SignInSettings


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

    @model_validator(mode="after")
    def _names_servers(self) -> Self:
        if self.database_url is None and (self.database_direct_url or self.database_replica_url):
            raise ValueError("DATABASE_DIRECT_URL and DATABASE_REPLICA_URL need DATABASE_URL")
        if self.database_replica_url is not None and self.database_replica_url == self.database_url:
            raise ValueError("DATABASE_REPLICA_URL equals DATABASE_URL; set it to the replica, or leave it out")
        return self


Origin = Annotated[str, Field(pattern=r"^[a-z][a-z0-9+.-]*://[^\s/?#*@A-Z]+$")]


def _separated(value: object) -> object:
    """The parts of a text between commas; what is no text stays as it is."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


Networks = Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode, BeforeValidator(_separated)]


class ServiceSettings(SignInSettings):
    """Addresses, access and limits of the HTTP service."""

    host: str = Field(default="127.0.0.1", description="Address the service listens on.")
    port: int = Field(default=8000, ge=0, le=65535, description="Port the service listens on.")
    metrics_port: int | None = Field(
        default=None,
        ge=1,
        le=65535,
        description="A second port that answers only `GET /metrics`, without a key; keep it out of reach. Unset: none.",
    )
    require_api_keys: bool | None = Field(
        default=None,
        description="Whether requests need an API key. Unset: yes, except on loopback without an issuer.",
    )
    public_operations: bool = Field(
        default=False, description="Whether `/metrics`, `/docs` and `/openapi.json` are open to everybody."
    )
    cors_origins: Annotated[tuple[Origin, ...], NoDecode, BeforeValidator(_separated)] = Field(
        default=(),
        description="Web sites whose scripts may call `/v1`, `/mcp` and `/openapi.json`, such as"
        " `https://app.example,http://localhost:5173`. `*` is refused.",
    )
    concurrent_answers: int = Field(
        default=24, ge=1, description="Questions that a process answers at once. Further ones get 503."
    )
    requests_per_minute: int = Field(
        default=6_000,
        ge=1,
        description="Requests per key, or per address without a key, over all processes, of which a fiftieth may be"
        " imports.",
    )
    max_import_bytes: int = Field(default=2 * 2**30, ge=1024, description="Largest import, after decompression.")
    extraction_processes: int = Field(
        default=2,
        ge=0,
        le=64,
        description="Parts of a batch of documents that are prepared and written at once, processes that extract their"
        " text, and as many that read files, pages and tables of connectors, each with at most 2 GiB of memory. 0:"
        " threads of the service, for trusted documents only.",
    )
    answer_timeout_seconds: float = Field(default=120.0, gt=0, description="Time limit of a question.")

    @property
    def on_loopback(self) -> bool:
        """Whether only this machine can reach the service."""
        return self.host in LOOPBACK

    @property
    def keys_required(self) -> bool:
        """Whether a request without an API key is refused."""
        by_default = not self.on_loopback or self.oidc_issuer is not None
        return by_default if self.require_api_keys is None else self.require_api_keys


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


class LanguageModelSettings(BaseModel):
    """The embedder, the reader and the chat model."""

    embedder: EmbedderKind = Field(
        default=EmbedderKind.WORDLLAMA, description=f"Embedder of passages. {summaries(EMBEDDERS)}."
    )
    embedding_url: HttpUrl | None = Field(default=None, description="Base URL of the embeddings API, ending in `/v1`.")
    embedding_model: str | None = Field(default=None, description="Name of the embedding model at that URL.")
    embedding_api_key: SecretStr | None = Field(default=None, description="Key for the embeddings API.")
    embedding_dimension: int = Field(
        default=256, ge=1, le=4000, description="Dimension of the embeddings of that model."
    )

    reader: ReaderKind = Field(default=ReaderKind.COMPACT, description=f"Reader of passages. {summaries(READERS)}.")
    reader_url: HttpUrl | None = Field(default=None, description="Base URL of the chat API, ending in `/v1`.")
    reader_model: str | None = Field(
        default=None, description="Name of the model at that URL, or path of the GGUF file."
    )
    reader_api_key: SecretStr | None = Field(default=None, description="Key for the chat API.")
    reader_screened: bool = Field(
        default=False,
        description="Ask the language model only if the compact reader finds a possible answer. English only.",
    )
    reader_concurrency: int = Field(
        default=4,
        ge=1,
        le=256,
        description="Readings that a process makes at once; background work leaves one of them to questions.",
    )
    reader_timeout_seconds: float = Field(default=60.0, gt=0, description="Time limit of one attempt at a reading.")

    chat_url: HttpUrl | None = Field(
        default=None,
        description="Base URL of the chat API that judges, debates and rewrites, ending in `/v1`.",
    )
    chat_model: str | None = Field(
        default=None,
        description=f"{_sentence(', or '.join(provider.summary for provider in CHATS))}. Unset: the model of the"
        f" reader, if that is {' or '.join(f'`{provider.name}`' for provider in READERS if provider.make_chat)}.",
    )
    chat_api_key: SecretStr | None = Field(
        default=None, description="Key for the chat API that judges, debates and rewrites."
    )

    @model_validator(mode="after")
    def _has_models(self) -> Self:
        if unmet := provider_named(EMBEDDERS, self.embedder).unmet(self):
            raise ValueError(f"CREDENCE_EMBEDDER={self.embedder} needs {unmet}")
        if unmet := provider_named(READERS, self.reader).unmet(self):
            raise ValueError(f"CREDENCE_READER={self.reader} needs {unmet}")
        if self.chat_url is not None and self.chat_model is None:
            raise ValueError("CREDENCE_CHAT_URL needs CREDENCE_CHAT_MODEL, the name of the model there")
        return self


class AnswerJudge(StrEnum):
    """Names of the judges, and none."""

    COMPACT = "compact"
    MULTILINGUAL = "multilingual"
    LANGUAGE_MODEL = "language_model"
    NONE = "none"


class AnswerSettings(BaseModel):
    """Defaults of answers."""

    conflict_judge: AnswerJudge = Field(
        default=AnswerJudge.COMPACT,
        description=f"Judge of the ConflictScore of answers. {summaries(JUDGES)}; `none`: no ConflictScore.",
    )
    passages_per_source: int = Field(default=3, ge=1, le=20, description="Passages in a reading (k in RA-RAG).")


class JobSettings(BaseModel):
    """Estimations that follow documents, connectors and workers."""

    follow_seconds: float = Field(
        default=60.0,
        ge=0,
        description="A new estimation starts this long after the last change of documents, at the latest ten times as"
        " long after the first. A corpus without queries first gets some from its documents. 0: estimations start only"
        " on request and by schedule.",
    )
    follow_daily_readings: int = Field(
        default=20_000,
        ge=0,
        description="No such estimation starts in a corpus that had this many readings in the last 24 hours.",
    )

    connector_networks: Networks = Field(
        default=(),
        description="Private networks that connectors may fetch from: `10.1.0.0/16,192.168.7.0/24`.",
    )
    connector_folder: Path | None = Field(
        default=None,
        description="Folder beneath which connectors read files, looked at in every run, without links on the way. "
        "Unset: any, if they were made on the command line; over HTTP none can be made.",
    )
    connector_max_bytes: int = Field(
        default=10 * 2**20, ge=1024, description="Largest response or file of a connector, after decompression."
    )
    connector_concurrency: int = Field(
        default=8,
        ge=1,
        le=256,
        description="Addresses or files that a connector reads at once, at most two from one host.",
    )

    webhook_networks: Networks = Field(
        default=(),
        description="Private networks that webhooks may send to: `10.1.0.0/16,192.168.7.0/24`.",
    )

    job_heartbeat_seconds: float = Field(
        default=10.0,
        gt=0,
        description="Interval of the heartbeat of a worker. After three missed ones its jobs continue elsewhere.",
    )


class LogFormat(StrEnum):
    """The format of log lines."""

    CONSOLE = "console"
    JSON = "json"


class OperationSettings(BaseModel):
    """Retention, traces and logs."""

    keep_answers_days: int = Field(
        default=365, ge=1, description="Days for which answers and reports of evaluations are kept."
    )
    keep_audit_days: int = Field(default=730, ge=1, description="Days for which the audit log is kept.")
    keep_revisions: int = Field(
        default=5,
        ge=0,
        description="Former revisions of a document that are kept when it is replaced, whose texts quotas count."
        " 0: none.",
    )
    tracing_endpoint: HttpUrl | None = Field(
        default=None,
        validation_alias=AliasChoices("CREDENCE_TRACING_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"),
        description="Base URL of an OpenTelemetry collector (OTLP over HTTP) for traces; also"
        " `OTEL_EXPORTER_OTLP_ENDPOINT`. Unset: no traces.",
    )
    log_level: str = Field(
        default="INFO",
        pattern="^(DEBUG|INFO|WARNING|ERROR)$",
        description="Lowest level that is logged: `DEBUG`, `INFO`, `WARNING` or `ERROR`.",
    )
    log_format: LogFormat = Field(default=LogFormat.CONSOLE, description="`console` for people, `json` for programs.")


# Pydantic takes the fields of the last class first.
class Settings(
    OperationSettings,
    JobSettings,
    AnswerSettings,
    LanguageModelSettings,
    ServiceSettings,
    DatabaseSettings,
    BaseSettings,
):
    """The settings of one process; built once at its start and handed down, never imported as a global."""

    model_config = SettingsConfigDict(env_prefix="CREDENCE_", frozen=True, extra="ignore", populate_by_name=True)
