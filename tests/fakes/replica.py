"""A streaming replica of a Postgres server of tests."""

import asyncio
import contextlib
import os
import shutil
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psycopg
from sqlalchemy.engine import URL, make_url

from registry.database import embedded
from registry.database.binaries import USER_OF_ROOT, binary
from registry.database.engine import libpq_url
from tests.eventually import eventually


class ReplicaServer:
    """A replica that can be stopped for a while, and killed."""

    def __init__(self, folder: Path, primary: URL) -> None:
        self._server = embedded.server_of(folder)
        self.url = make_url(self._server.url).set(drivername=primary.drivername, database=primary.database)

    def send(self, number: signal.Signals) -> None:
        """Send a signal to each of its processes."""
        first = self._server.process_id
        assert first is not None
        for process_id in (str(first), *Path(f"/proc/{first}/task/{first}/children").read_text().split()):
            os.kill(int(process_id), number)

    def execute(self, statement: str) -> object:
        """The first value of the result."""
        with psycopg.connect(libpq_url(self.url), autocommit=True) as connection:
            row = connection.execute(statement.encode()).fetchone()
        return row[0] if row else None

    def answers(self) -> bool:
        try:
            return self.execute("SELECT pg_is_in_recovery()") is True
        except psycopg.OperationalError:
            return False


@asynccontextmanager
async def replica_of(primary: URL, folder: Path) -> AsyncIterator[ReplicaServer]:
    """A replica with its data in `folder`, which follows the primary server."""
    data = folder / "postgres"
    copy = ["--wal-method=stream", "--checkpoint=fast", "--no-sync", "--write-recovery-conf"]
    process = await asyncio.create_subprocess_exec(
        binary("pg_basebackup"), "--no-manifest", f"--dbname={libpq_url(primary)}", f"--pgdata={data}", *copy
    )
    assert await process.wait() == 0
    (data / ".s.PGSQL.5432.lock").unlink()
    if os.geteuid() == 0:
        # Both run as a user who must reach the socket of the other.
        Path(str(primary.query["host"])).parent.chmod(0o711)
        for path in (data, *data.rglob("*")):
            shutil.chown(path, USER_OF_ROOT, USER_OF_ROOT)
    server = ReplicaServer(folder, primary)
    embedded.server_of(folder).launch(create=False)
    try:
        await eventually(server.answers)
        yield server
    finally:
        with contextlib.suppress(AssertionError, OSError):
            server.send(signal.SIGCONT)
        await asyncio.to_thread(embedded.stop, folder)
