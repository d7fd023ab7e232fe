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
    """Addresses, access and limits of the HTTP service."""

    host: str = Field(default="127.0.0.1", description="Address the service listens on.")
    port: int = Field(default=8000, ge=0, le=65535, description="Port the service listens on.")
    metrics_port: int | None = Field(
        default=None,
        ge=1,
        le=65535,
        description="A second port that answers only `GET /metrics`, without an API key. Keep it out of reach of"
        " others. Unset: none.",
    )
    require_api_keys: bool | None = Field(
        default=None, description="Whether requests need an API key. Unset: yes, except on loopback."
    )
    public_operations: bool = Field(
        default=False, description="Whether `/metrics`, `/docs` and `/openapi.json` are open to everybody."
    )
    cors_origins: Annotated[tuple[Origin, ...], NoDecode, BeforeValidator(separated)] = Field(
        default=(),
        description="Web sites whose scripts may call `/v1`, `/mcp` and `/openapi.json`, such as"
        " `https://app.example,http://localhost:5173`. `*` is refused.",
    )
    max_connections: int = Field(
        default=800,
        ge=1,
        description="Most client connections. Beyond it, the longest idle one is closed. Each can occupy 512 KiB of"
        " memory without an API key.",
    )
    receive_timeout_seconds: float = Field(
        default=20.0,
        gt=0,
        description="Time limit of the header of a request, and of a pause in its body.",
    )
    stop_seconds: float = Field(
        default=20.0, ge=0, description="Time that requests have to finish when the service stops; then they get 503."
    )
    concurrent_answers: int = Field(
        default=24, ge=1, description="Questions that a process answers at once. Further ones get 503."
    )
    requests_per_minute: int = Field(
        default=6_000, ge=1, description="Requests per key, or per address without a key, over all processes."
    )
    imports_per_minute: int = Field(
        default=120, ge=1, description="Imports per key, or per address without a key, over all processes."
    )
    max_import_bytes: int = Field(default=2 * 2**30, ge=1024, description="Largest import, after decompression.")
    import_concurrency: int = Field(
        default=2, ge=1, le=64, description="Parts of a batch of documents that are prepared and written at once."
    )
    extraction_processes: int = Field(
        default=2,
        ge=0,
        le=64,
        description="Processes that extract the text of documents, and as many that read files, pages and tables of"
        " connectors, each with at most 2 GiB of memory. 0: threads of the service, for trusted documents only.",
    )
    answer_timeout_seconds: float = Field(default=120.0, gt=0, description="Time limit of a question.")

    @property
    def on_loopback(self) -> bool:
        """Whether only this machine can reach the service."""
        return self.host in LOOPBACK

    @property
    def keys_required(self) -> bool:
        """Whether a request without an API key is refused."""
        return not self.on_loopback if self.require_api_keys is None else self.require_api_keys
