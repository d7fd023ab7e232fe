"""Whether the schema fits, before a long-lived command starts."""

from api.cli.output import clean
from api.cli.terminal import Terminal
from migrations import control
from migrations.control import MigrationFailed
from registry.database.engine import resolve_url
from registry.settings import Settings


def bring_up_to_date(terminal: Terminal, settings: Settings) -> None:
    """Upgrade an embedded database, and say so. Raises `SchemaOutdated` for a server that somebody else looks after."""
    url = resolve_url(settings)
    found = control.current(url)
    if settings.database_url is not None or found == control.head():
        control.require_current(found)
        return
    try:
        control.upgrade(url)
    except MigrationFailed:
        control.require_current(found)
        raise
    done = "upgraded" if found else "set up"
    terminal.err.print(clean(f"The embedded database under {settings.data_dir} was {done}."), markup=False)
