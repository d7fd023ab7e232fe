"""Connectors: documents come from folders, tables, feeds and sites, and are kept in step with these."""

from registry.connectors.inputs import ConnectorInput, ConnectorPatch
from registry.connectors.kinds import CONNECTORS, kind_named
from registry.connectors.service import JOB, create, patched, refuse_other_files, run, run_now, start, update

__all__ = [
    "CONNECTORS",
    "JOB",
    "ConnectorInput",
    "ConnectorPatch",
    "create",
    "kind_named",
    "patched",
    "refuse_other_files",
    "run",
    "run_now",
    "start",
    "update",
]
