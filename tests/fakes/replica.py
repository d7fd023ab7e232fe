"""A streaming replica of a Postgres server of tests."""

import asyncio
import contextlib
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from signal import SIGCONT, SIGQUIT, SIGSTOP, Signals
from typing import Any

import psycopg
from sqlalchemy.engine import URL, make_url

from registry.platform.database import embedded
from registry.platform.database.binaries import USER_OF_ROOT, binary
from registry.platform.database.engine import libpq_url
from tests.eventually import eventually


class ReplicaServer:
    """A replica that can be stopped for a while, and killed."""

    def __init__(self, folder: Path, primary: URL) -> None:
        self._server = embedded.server_of(folder)
        self.url = make_url(self._server.url).set(drivername=primary.drivername, database=primary.database)

    async def start(self) -> None:
        self._server.launch(create=False)
        await eventually(self._answers)

    def pause(self) -> None:
        """Stop all its processes: connections stay open, and nothing comes of them."""
        self._send(SIGSTOP)

    def resume(self) -> None:
        self._send(SIGCONT)

    async def kill(self) -> None:
        """Every connection breaks at once; does nothing where it does not run."""
        self.resume()
        if (process_id := self._server.process_id) is not None:
            os.kill(process_id, SIGQUIT)
        await eventually(lambda: self._server.has_ended)
        self._server.detach()

    def execute(self, statement: str) -> object:
        """The first value of the result."""
        with psycopg.connect(libpq_url(self.url), autocommit=True, connect_timeout=5) as connection:
            row = connection.execute(statement.encode()).fetchone()
        return row[0] if row else None

    def _answers(self) -> bool:
        assert not self._server.has_ended, self._server.last_words()
        with contextlib.suppress(psycopg.OperationalError):
            return self.execute("SELECT pg_is_in_recovery()") is True
        return False

    def _send(self, number: Signals) -> None:
        first = self._server.process_id
        if first is None:
            return
        for process_id in (str(first), *Path(f"/proc/{first}/task/{first}/children").read_text().split()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(process_id), number)


@asynccontextmanager
async def replica_of(primary: URL, folder: Path) -> AsyncIterator[ReplicaServer]:
    """A replica with its data in `folder`, which follows the primary server; it is killed at the end."""
    server = ReplicaServer(folder, primary)
    try:
        await _copy(primary, folder / "postgres")
        await server.start()
        yield server
    finally:
        await server.kill()


def _prepare(socket_folder: Path, data: Path) -> dict[str, Any]:
    """An empty folder for the data. Returns the user who can write into it and reach the socket of the primary."""
    data.mkdir(mode=0o700)
    if os.geteuid() != 0:
        return {}
    shutil.chown(data, USER_OF_ROOT, USER_OF_ROOT)
    socket_folder.parent.chmod(0o711)
    return {"user": USER_OF_ROOT, "group": USER_OF_ROOT, "extra_groups": []}


async def _copy(primary: URL, data: Path) -> None:
    """A base backup, made by the user who runs the server."""
    as_user = _prepare(Path(str(primary.query["host"])), data)
    options = ["--wal-method=fetch", "--checkpoint=fast", "--no-sync", "--no-manifest", "--write-recovery-conf"]
    process = await asyncio.create_subprocess_exec(
        binary("pg_basebackup"), f"--dbname={libpq_url(primary)}", "--pgdata=.", *options, cwd=data, **as_user
    )
    try:
        assert await process.wait() == 0
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    (data / f"{embedded.SOCKET}.lock").unlink()
    with (data / "postgresql.auto.conf").open("a") as configuration:
        configuration.write("fsync = off\n")
