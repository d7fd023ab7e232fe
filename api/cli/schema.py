"""Brings the schema of the embedded database up to date before a command begins its work."""

from collections.abc import Callable

from migrations import control
from registry.platform.database.engine import resolve_direct_url
from registry.platform.settings import Settings


def bring_up_to_date(settings: Settings, say: Callable[[str], None], *, only_empty: bool = False) -> None:
    """Upgrade an embedded database, and say so; `only_empty` leaves one with a schema to commands that stay.

    Raises `SchemaOutdated` for one that this code does not run on and that is not upgraded. Databases elsewhere are
    left alone: opening a runtime tells whether this code runs on them.
    """
    if settings.database_url is not None:
        return
    url = resolve_direct_url(settings)
    schema = control.read_schema(url)
    if (only_empty and schema.revision is not None) or not control.is_older(schema):
        control.require_runnable(schema)
        return
    control.upgrade(url)
    action = "upgraded" if schema.revision else "set up"
    say(f"The embedded database under {settings.data_dir} was {action}.")
