"""HTTP: where the service listens, who may call it, and how much it takes."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field
from pydantic_settings import NoDecode

Origin = Annotated[str, Field(pattern=r"^[a-z][a-z0-9+.-]*://[^\s/?#*@A-Z]+$")]
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def separated(value: object) -> object:
    """The parts of a text between commas; what is no text stays as it is."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


class ServiceSettings(BaseModel):
    """What clients may do, and the documents they may send."""

    host: str = Field(default="127.0.0.1", description="Address the service listens on.")
    port: int = Field(default=8000, ge=0, le=65535, description="Port the service listens on.")
    metrics_port: int | None = Field(
        default=None,
        ge=1,
        le=65535,
        description="A second port, where `GET /metrics` needs no API key and nothing else is answered: for scrapers,"
        " out of reach of others. Unset: none.",
    )
    require_api_keys: bool | None = Field(
        default=None, description="Whether requests need an API key. Unset: only off loopback."
    )
    public_operations: bool = Field(
        default=False, description="Whether `/metrics`, `/docs` and `/openapi.json` need no API key where requests do."
    )
    cors_origins: Annotated[tuple[Origin, ...], NoDecode, BeforeValidator(separated)] = Field(
        default=(),
        description="Web sites whose scripts may call `/v1`, `/mcp` and `/openapi.json` from a browser, with an API key"
        " where keys are required: `https://app.example,http://localhost:5173`. `*` is refused.",
    )
    max_connections: int = Field(
        default=800,
        ge=1,
        description="Connections of clients at once; above it the one idle longest is closed. Without a key each can "
        "make the service hold at most 512 KiB.",
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
    max_import_bytes: int = Field(
        default=2 * 2**30, ge=1024, description="The largest NDJSON import, counted after decompression."
    )
    import_concurrency: int = Field(
        default=2, ge=1, le=64, description="Parts of a batch of documents that are prepared and written at once."
    )
    extraction_processes: int = Field(
        default=2,
        ge=0,
        le=64,
        description="Processes that take the text of documents, each with at most 2 GiB of memory. 0: threads of this "
        "process, for documents of nobody who means harm.",
    )
    answer_timeout_seconds: float = Field(default=120.0, gt=0, description="The longest a question may take.")

    @property
    def on_loopback(self) -> bool:
        """Whether only this machine can reach the service."""
        return self.host in LOOPBACK

    @property
    def keys_required(self) -> bool:
        """Whether a request without an API key is refused."""
        return not self.on_loopback if self.require_api_keys is None else self.require_api_keys
