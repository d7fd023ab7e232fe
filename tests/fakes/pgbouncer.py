"""A PgBouncer in transaction mode before a Postgres server, with fewer connections than its clients use."""

import asyncio
import os
import shutil
import tempfile
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy.engine import URL

from registry.platform.database.binaries import USER_OF_ROOT, make_user
from tests.eventually import eventually

PROGRAM = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
PORT = 6432


class PgBouncer:
    """A PgBouncer that can be started again."""

    def __init__(self, url: URL, folder: Path, arguments: Sequence[str]) -> None:
        self.url = url
        self._socket = folder / f".s.PGSQL.{PORT}"
        self._arguments = arguments
        self._process: Process | None = None

    async def start(self) -> None:
        assert PROGRAM is not None
        self._process = await asyncio.create_subprocess_exec(PROGRAM, "--quiet", *self._arguments)
        await eventually(self._socket.exists)

    async def stop(self) -> None:
        """All its connections break at once."""
        if self._process is not None:
            self._process.kill()
            await self._process.wait()
            self._process = None
            self._socket.unlink(missing_ok=True)


@asynccontextmanager
async def pgbouncer(server: URL, connections: int) -> AsyncIterator[PgBouncer]:
    """The same database behind a PgBouncer that opens so many connections."""
    address = {"host": server.host or server.query["host"], "port": server.port or 5432, "user": server.username}
    address |= {"password": server.password} if server.password else {}
    with tempfile.TemporaryDirectory(prefix="credence-pgbouncer-") as name:
        folder = Path(name)
        configuration = folder / "pgbouncer.ini"
        configuration.write_text(
            f"""
            [databases]
            * = {" ".join(f"{key}={value}" for key, value in address.items())}
            [pgbouncer]
            pool_mode = transaction
            default_pool_size = {connections}
            auth_type = any
            listen_addr =
            listen_port = {PORT}
            unix_socket_dir = {folder}
            """
        )
        arguments = [str(configuration)]
        if os.geteuid() == 0:  # as which it refuses to run
            make_user()
            shutil.chown(folder, USER_OF_ROOT)
            arguments += ["--user", USER_OF_ROOT]
        url = server.set(host=None, port=PORT, password=None, query={"host": str(folder)})
        pooler = PgBouncer(url, folder, arguments)
        try:
            await pooler.start()
            yield pooler
        finally:
            await pooler.stop()
