"""Brings the schema up to date before a command that stays begins its work."""

from api.cli.environment import Environment
from api.text import clean
from migrations import control
from registry.database.engine import resolve_direct_url
from registry.settings import Settings


def bring_up_to_date(env: Environment, settings: Settings) -> None:
    """Upgrade an embedded database, and say so; raises `SchemaOutdated` for a server that Credence does not own."""
    url = resolve_direct_url(settings)
    schema = control.read_schema(url)
    if settings.database_url is not None or not control.is_older(schema):
        control.require_runnable(schema)
        return
    control.upgrade(url)
    action = "upgraded" if schema.revision else "set up"
    env.err.print(clean(f"The embedded database under {settings.data_dir} was {action}."), markup=False)
