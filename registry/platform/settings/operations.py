"""Operations: how long what is kept, traces and logs."""

from enum import StrEnum

from pydantic import AliasChoices, BaseModel, Field, HttpUrl


class LogFormat(StrEnum):
    """How log lines are written."""

    CONSOLE = "console"
    JSON = "json"


class OperationSettings(BaseModel):
    """What is kept how long, and what is told of it."""

    keep_answers_days: int = Field(
        default=365, ge=1, description="How long answers, and reports of evaluations, are kept after they were made."
    )
    keep_audit_days: int = Field(default=730, ge=1, description="How long the audit log is kept.")
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
