"""A Postgres server for tests that stop it: nobody else's test is in its way."""

import asyncio
import os
import shutil
import signal
import tempfile
import uuid
from pathlib import Path

import psycopg
from sqlalchemy.engine import URL, make_url

from migrations import control
from registry.platform.database import embedded
from registry.platform.database.engine import libpq_url
from tests.eventually import eventually

MEMORY_DISK = Path("/dev/shm")  # noqa: S108  (each test makes a folder of its own)
# A run of all tests fills a fourth of it.
NEEDED_BYTES = 2 * 2**30


def disk_of_servers() -> Path:
    """Where servers of tests keep their data: in memory if there is room, else where temporary files go.

    Databases are made and deleted by the dozen, which takes a disk minutes in all.
    """
    in_memory = MEMORY_DISK.is_dir() and shutil.disk_usage(MEMORY_DISK).free >= NEEDED_BYTES
    return MEMORY_DISK if in_memory else Path(tempfile.gettempdir())


class PostgresServer:
    """A server that can be stopped or killed, and started again at the same address."""

    def __init__(self, folder: Path) -> None:
        self._url = make_url(embedded.start(folder)).set(drivername="postgresql+psycopg")
        self._server = embedded.server_of(folder)
        self._template = self._create_database()
        control.upgrade(self._template)

    def new_database(self) -> URL:
        """The URL of a new database with the newest schema."""
        return self._create_database(f'TEMPLATE "{self._template.database}"')

    def url_of(self, name: str | None) -> URL:
        """The URL of one of its databases."""
        return self._url.set(database=name)

    async def stop(self) -> None:
        await asyncio.to_thread(self._server.stop)

    async def kill(self) -> None:
        """SIGQUIT: every connection breaks at once, and the next start recovers from the log."""
        process_id = self._server.process_id
        assert process_id is not None
        os.kill(process_id, signal.SIGQUIT)
        await eventually(lambda: self._server.has_ended)

    async def start(self) -> None:
        await asyncio.to_thread(self._start)

    def _start(self) -> None:
        self._server.launch()
        self._server.wait()

    def close(self) -> None:
        self._server.detach()

    def _create_database(self, options: str = "") -> URL:
        self._start()
        name = f"credence_{uuid.uuid4().hex[:12]}"
        with psycopg.connect(libpq_url(self._url), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}" {options}'.encode())
        return self._url.set(database=name)
