"""Watches as callers send them."""

from registry.platform.fields import ExternalId, Input


class WatchInput(Input):
    """A new feed."""

    source: ExternalId | None = None
    """The only source that it tells of, by external id, id or name; null: all."""
