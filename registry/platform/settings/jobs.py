"""Jobs: estimations that follow the documents, and connectors."""

from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field
from pydantic_settings import NoDecode

from registry.platform.settings.service import separated


class JobSettings(BaseModel):
    """What workers do, and how long it may take."""

    follow_seconds: float = Field(
        default=60.0,
        ge=0,
        description="Reliabilities are estimated anew once documents came or went and no more did for this long, or"
        " ten times as long after the first; only where an estimation succeeded before, with its parameters, or where"
        " there is no query yet, after some were written from the documents. 0: only on request and by schedules.",
    )
    follow_daily_readings: int = Field(
        default=20_000, ge=0, description="None of a corpus starts while those of 24 hours made as many readings."
    )

    connector_networks: Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode, BeforeValidator(separated)] = Field(
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

    job_heartbeat_seconds: float = Field(
        default=10.0,
        gt=0,
        description="How often a worker shows that it lives; after three beats missed its jobs go on elsewhere.",
    )
