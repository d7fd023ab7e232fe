"""Connectors as callers send them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError, ValidationInfo, WithJsonSchema, field_validator

from answering.parameters import Number
from registry.connectors.kinds import CONNECTORS, Kind, kind_named
from registry.platform.fields import Input, Name
from registry.platform.ndjson import explain
from registry.schedules.schemas import Cron, TimeZone

Config = Annotated[
    dict[str, Any],
    WithJsonSchema({"anyOf": [kind.config.model_json_schema() for kind in CONNECTORS]}),
]


Readings = Annotated[int, Field(ge=0, le=1_000_000), Number]


class ConnectorInput(Input):
    """A new connector."""

    name: Name
    """Unique in the corpus."""
    kind: Annotated[Kind, Field(description="; ".join(f"`{kind.name}`: {kind.summary}" for kind in CONNECTORS) + ".")]
    config: Config
    """The configuration; its fields depend on the kind."""
    cron: Cron | None = None
    """Cron expression for its runs; null: only on request."""
    timezone: TimeZone = "UTC"
    """Time zone of the expression."""
    contradictions: Readings = 0
    """Most readings of a run that report contradictions between new documents and other sources; 0: none."""

    @field_validator("config")
    @classmethod
    def _of_kind(cls, config: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        if "kind" in info.data:
            try:
                kind_named(info.data["kind"]).config.model_validate(config)
            except ValidationError as error:
                raise ValueError(explain(error)) from error
        return config

    @property
    def paths(self) -> Sequence[Path]:
        """Files and folders of the machine of the worker that it reads."""
        paths = kind_named(self.kind).paths
        return () if paths is None else paths(self.parsed)

    @property
    def parsed(self) -> Input:
        """The configuration as the kind has it."""
        config: Input = kind_named(self.kind).config.model_validate(self.config)
        return config


class ConnectorPatch(Input):
    """Fields to change; those left out stay. Its kind stays as it is."""

    config: Config | None = None
    """The new configuration, which replaces the former one."""
    cron: Cron | None = None
    """Cron expression for its runs; null: only on request."""
    timezone: TimeZone | None = None
    """Time zone of the expression."""
    contradictions: Readings | None = None
    """Most readings of a run that report contradictions between new documents and other sources; 0: none."""
