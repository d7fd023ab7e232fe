"""Jobs: estimations that follow the documents, and connectors."""

from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field
from pydantic_settings import NoDecode

from registry.platform.settings.service import separated


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

    connector_networks: Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode, BeforeValidator(separated)] = Field(
        default=(),
        description="Private networks that connectors may fetch from: `10.1.0.0/16,192.168.7.0/24`.",
    )
    connector_folder: Path | None = Field(
        default=None,
        description="Folder beneath which connectors read files, looked at in every run, without links on the way. "
        "Unset: any, if they were made on the command line; over HTTP none can be made.",
    )
    connector_seconds: float = Field(default=30.0, gt=0, description="Time limit of fetching one address.")
    connector_max_bytes: int = Field(
        default=10 * 2**20, ge=1024, description="Largest response or file of a connector, after decompression."
    )
    connector_concurrency: int = Field(
        default=8,
        ge=1,
        le=256,
        description="Addresses or files that a connector reads at once, at most two from one host.",
    )

    webhook_networks: Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode, BeforeValidator(separated)] = Field(
        default=(),
        description="Private networks that webhooks may send to: `10.1.0.0/16,192.168.7.0/24`.",
    )

    job_heartbeat_seconds: float = Field(
        default=10.0,
        gt=0,
        description="Interval of the heartbeat of a worker. After three missed ones its jobs continue elsewhere.",
    )
