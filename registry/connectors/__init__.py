"""Connectors: documents come from folders, tables, feeds and sites, and are kept in step with these."""

from registry.connectors.inputs import ConnectorInput
from registry.connectors.kinds import CONNECTORS, kind_named
from registry.connectors.service import JOB, create, refuse_other_files, run, run_now, start

__all__ = [
    "CONNECTORS",
    "JOB",
    "ConnectorInput",
    "create",
    "kind_named",
    "refuse_other_files",
    "run",
    "run_now",
    "start",
]
