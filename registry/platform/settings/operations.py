"""Operations: retention, traces and logs."""

from enum import StrEnum

from pydantic import AliasChoices, BaseModel, Field, HttpUrl


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
        description="Former revisions of a document that are kept when it is replaced, which quotas do not count."
        " 0: none.",
    )
    keep_readings_days: int = Field(default=365, ge=1, description="Days for which readings are cached.")
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
    log_content: bool = Field(
        default=False, description="Whether logged errors may contain documents, questions and replies."
    )
    log_format: LogFormat = Field(default=LogFormat.CONSOLE, description="`console` for people, `json` for programs.")
