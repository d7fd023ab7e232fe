"""Every setting of the service, typed. Each is read from the environment variable CREDENCE_<NAME>."""

from enum import StrEnum
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Self

from platformdirs import user_data_path
from pydantic import AliasChoices, BeforeValidator, Field, HttpUrl, SecretStr, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from answering.embedders import EMBEDDERS
from answering.judges import JUDGES
from answering.models import CHATS
from answering.providers import enum_members, provider_named, summaries
from answering.readers import READERS

Origin = Annotated[str, Field(pattern=r"^[a-z][a-z0-9+.-]*://[^\s/?#*@A-Z]+$")]
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _separated(value: object) -> object:
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


class ReaderKind(StrEnum):
    """The readers by name."""

    vars().update(enum_members(READERS))


class EmbedderKind(StrEnum):
    """The embedders by name."""

    vars().update(enum_members(EMBEDDERS))


class JudgeKind(StrEnum):
    """Who says what documents say about claims."""

    vars().update(enum_members(JUDGES))


class AnswerJudge(StrEnum):
    """The judges of the conflict score of an answer by name."""

    vars().update(enum_members(JUDGES))
    NONE = "none"


class LogFormat(StrEnum):
    """How log lines are written."""

    CONSOLE = "console"
    JSON = "json"


class Settings(BaseSettings):
    """The settings of one process; built once at its start and handed down, never imported as a global."""

    model_config = SettingsConfigDict(env_prefix="CREDENCE_", frozen=True, extra="ignore", populate_by_name=True)

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
    replica_max_lag_seconds: float = Field(
        default=10.0, ge=2, description="How far the replica may lag, and the longest it may take for a look-up."
    )
    data_dir: Path = Field(
        default_factory=lambda: user_data_path("credence"), description="Where the embedded server keeps its data."
    )
    database_pool_size: int = Field(default=10, ge=1, le=200, description="Connections a process may hold.")
    database_timeout_seconds: float = Field(
        default=30.0, gt=0, description="The longest one SQL statement may take, and the longest wait for a connection."
    )
    vector_index_passages: int = Field(
        default=200_000, ge=1, description="Passages, of all corpora, from which there is an index of their embeddings."
    )
    host: str = Field(default="127.0.0.1", description="Address the service listens on.")
    port: int = Field(default=8000, ge=0, le=65535, description="Port the service listens on.")
    require_api_keys: bool | None = Field(
        default=None, description="Whether requests need an API key. Unset: only off loopback."
    )
    public_operations: bool = Field(
        default=False, description="Whether `/metrics`, `/docs` and `/openapi.json` need no API key where requests do."
    )
    cors_origins: Annotated[tuple[Origin, ...], NoDecode, BeforeValidator(_separated)] = Field(
        default=(),
        description="Web sites whose scripts may call `/v1`, `/mcp` and `/openapi.json` from a browser, with an API key"
        " where keys are required: `https://app.example,http://localhost:5173`. `*` is refused.",
    )
    max_connections: int = Field(
        default=800, ge=1, description="Connections of clients at once; above it the one idle longest is closed."
    )
    receive_timeout_seconds: float = Field(
        default=20.0,
        gt=0,
        description="The longest a client may take to send the header of a request, and the longest pause in its body.",
    )
    stop_seconds: float = Field(
        default=20.0, ge=0, description="How long requests under way may go on at a stop; then they get 503."
    )
    concurrent_answers: int = Field(
        default=24, ge=1, description="Questions that a process answers at once; others are refused at once with 503."
    )
    requests_per_minute: int = Field(
        default=6_000, ge=1, description="Requests of a key, or of an address without one, over all processes."
    )
    imports_per_minute: int = Field(default=120, ge=1, description="NDJSON imports, counted likewise.")
    failed_logins_per_minute: int = Field(
        default=20, ge=1, description="Unknown, expired or revoked keys that an address may send, over all processes."
    )
    max_body_bytes: int = Field(default=16 * 2**20, ge=1024, description="The largest body, NDJSON imports aside.")
    max_import_bytes: int = Field(
        default=2 * 2**30, ge=1024, description="The largest NDJSON import, counted after decompression."
    )
    max_import_lines: int = Field(default=20_000_000, ge=1, description="The most lines of an import, also blank ones.")
    max_import_rejections: int = Field(default=10_000, ge=0, description="Rejected lines that an import may have.")
    import_concurrency: int = Field(
        default=2, ge=1, le=64, description="Parts of a batch of documents that are prepared and written at once."
    )
    extraction_processes: int = Field(
        default=0, ge=0, le=64, description="Processes that take the text of documents. 0: threads of this process."
    )
    max_document_characters: int = Field(default=4_000_000, ge=1, description="The longest document.")
    answer_timeout_seconds: float = Field(default=120.0, gt=0, description="The longest a question may take.")

    embedder: EmbedderKind = Field(default=EmbedderKind("wordllama"), description=f"{summaries(EMBEDDERS)}.")
    embedding_url: HttpUrl | None = Field(default=None, description="Base URL of the embeddings API, ending in `/v1`.")
    embedding_model: str | None = Field(default=None, description="Name of the embedding model at that URL.")
    embedding_api_key: SecretStr | None = Field(default=None, description="Key for the embeddings API.")
    embedding_dimension: int = Field(
        default=256, ge=1, le=4000, description="Numbers in an embedding; checked against the database at the start."
    )

    reader: ReaderKind = Field(default=ReaderKind("compact"), description=f"{summaries(READERS)}.")
    reader_url: HttpUrl | None = Field(default=None, description="Base URL of the chat API, ending in `/v1`.")
    reader_model: str | None = Field(
        default=None, description="Name of the model at that URL, or path of the GGUF file."
    )
    reader_api_key: SecretStr | None = Field(default=None, description="Key for the chat API.")
    reader_span_only: bool = Field(
        default=False, description="GGUF only: constrain replies to a span of the passages or IDK."
    )
    reader_screened: bool = Field(
        default=False,
        description="Ask the language model only where the compact reader finds a possible answer; for English text.",
    )
    reader_concurrency: int = Field(default=4, ge=1, le=256, description="Readings under way at once, a process.")
    reader_timeout_seconds: float = Field(default=60.0, gt=0, description="The longest one attempt at a reading.")
    reader_attempts: int = Field(default=3, ge=1, le=10, description="Attempts at a reading that may yet succeed.")

    chat_url: HttpUrl | None = Field(
        default=None,
        description="Base URL of the API of the language model that judges, debates and rewrites, ending in `/v1`.",
    )
    chat_model: str | None = Field(
        default=None,
        description=f"{_sentence(', or '.join(provider.summary for provider in CHATS))}. Unset: the reader's model,"
        f" where the reader is {' or '.join(f'`{provider.name}`' for provider in READERS if provider.make_chat)}.",
    )
    chat_api_key: SecretStr | None = Field(default=None, description="Key for that API.")

    debate_max_model_calls: int = Field(
        default=80, ge=0, description="Calls of the language model that a debate may make, unless a question says."
    )
    debate_max_tokens: int = Field(
        default=200_000, ge=0, description="Tokens a debate may read and write, unless a question says."
    )
    debate_max_seconds: float = Field(
        default=100.0, ge=0, description="Seconds a debate may take, unless a question says; never more than an answer."
    )

    conflict_judge: AnswerJudge = Field(
        default=AnswerJudge("compact"),
        description=f"Who judges the conflict score of every answer: {summaries(JUDGES)}; `none` leaves it out.",
    )
    conflict_timeout_seconds: float = Field(
        default=20.0, gt=0, description="The longest the conflict score of an answer may take; then there is none."
    )

    passage_characters: int = Field(
        default=800, ge=100, le=8000, description="The longest passage; documents are cut at sentences below it."
    )
    passages_per_source: int = Field(default=3, ge=1, le=20, description="Passages a reading sees (the paper's k).")
    alignment_threshold: float = Field(
        default=0.9, ge=0, le=1, description="ROUGE-1 precision below which an answer counts as IDK."
    )
    kappa: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        description="Sources that an answer is made of, unless a question says. Unset: as many as can change it, and"
        " 4, as in RA-RAG, where a debate answers.",
    )
    answer_readings: int = Field(
        default=30, ge=1, description="The most sources that are read for an answer without a kappa."
    )

    follow_seconds: float = Field(
        default=60.0,
        ge=0,
        description="Reliabilities are estimated anew once documents came or went and no more did for this long, or"
        " ten times as long after the first; only where an estimation succeeded before, with its parameters. 0: only on"
        " request and by schedules.",
    )
    follow_daily_readings: int = Field(
        default=20_000, ge=0, description="None of a corpus starts while those of 24 hours made as many readings."
    )
    distributed_votes: int | None = Field(
        default=None, ge=1, description="Runs of as many votes are fitted as files of votes. Unset: none."
    )
    distributed_workers: int = Field(
        default=1, ge=1, description="Workers of Ray that fit these; 1: none, without Ray."
    )

    connector_networks: Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode, BeforeValidator(_separated)] = Field(
        default=(),
        description="Networks that connectors may fetch from though they are not public: `10.1.0.0/16,192.168.7.0/24`.",
    )
    connector_folder: Path | None = Field(
        default=None,
        description="Connectors made over HTTP may read files of this folder. Unset: none; the command line reads any.",
    )
    connector_seconds: float = Field(default=30.0, gt=0, description="The longest that fetching one address may take.")
    connector_max_bytes: int = Field(
        default=10 * 2**20, ge=1024, description="The largest response or file of a connector, after decompression."
    )
    connector_concurrency: int = Field(
        default=8, ge=1, le=256, description="Addresses or files that a connector reads at once; two of one host."
    )
    connector_run_seconds: float = Field(
        default=3600.0, gt=0, description="The longest a run of a connector may take; the next one goes on from there."
    )

    job_heartbeat_seconds: float = Field(
        default=10.0,
        gt=0,
        description="How often a worker shows that it lives; after three beats missed its jobs go on elsewhere.",
    )
    keep_answers_days: int = Field(
        default=365, ge=1, description="How long answers, and reports of evaluations, are kept after they were made."
    )
    keep_events_days: int = Field(default=30, ge=1, description="How long events and past due times are kept.")
    keep_audit_days: int = Field(default=730, ge=1, description="How long the audit log is kept.")
    keep_jobs_days: int = Field(default=7, ge=1, description="How long jobs that failed or were cancelled are kept.")
    keep_readings_days: int = Field(
        default=365, ge=1, description="How long readings are kept; then the same passages are read again."
    )
    tracing_endpoint: HttpUrl | None = Field(
        default=None,
        validation_alias=AliasChoices("CREDENCE_TRACING_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"),
        description="Base URL of an OpenTelemetry collector (OTLP over HTTP) that gets traces; also"
        " `OTEL_EXPORTER_OTLP_ENDPOINT`. Unset: none are made.",
    )
    log_level: str = Field(default="INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$", description="Least level logged.")
    log_content: bool = Field(
        default=False, description="Whether log lines may repeat documents, questions and replies where an error does."
    )
    log_format: LogFormat = Field(default=LogFormat.CONSOLE, description="`console` for a person, `json` for programs.")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.database_url is None and (self.database_direct_url or self.database_replica_url):
            raise ValueError("DATABASE_DIRECT_URL and DATABASE_REPLICA_URL need DATABASE_URL")
        if unmet := provider_named(EMBEDDERS, self.embedder).unmet(self):
            raise ValueError(f"CREDENCE_EMBEDDER={self.embedder} needs {unmet}")
        if unmet := provider_named(READERS, self.reader).unmet(self):
            raise ValueError(f"CREDENCE_READER={self.reader} needs {unmet}")
        if self.chat_url is not None and self.chat_model is None:
            raise ValueError("CREDENCE_CHAT_URL needs CREDENCE_CHAT_MODEL, the name of the model there")
        return self

    @property
    def on_loopback(self) -> bool:
        """Whether only this machine can reach the service."""
        return self.host in LOOPBACK

    @property
    def keys_required(self) -> bool:
        """Whether a request without an API key is refused."""
        return not self.on_loopback if self.require_api_keys is None else self.require_api_keys
