"""Alembic's environment: the URL and the options come from `migrations.control`, never from an ini file."""

from alembic import context
from sqlalchemy import Connection

from migrations.comparison import include_object
from registry.tables import metadata

LOCK_TIMEOUT = "5s"


def run(connection: Connection) -> None:
    """Run the migrations in one transaction; a lock not had in seconds fails instead of stopping the service."""
    context.configure(
        connection=connection, target_metadata=metadata, include_object=include_object, compare_server_default=True
    )
    with context.begin_transaction():
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'")
        connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
        context.run_migrations()


run(context.config.attributes["connection"])
