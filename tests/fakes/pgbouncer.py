"""A PgBouncer in transaction mode before a Postgres server, with fewer connections than its clients use."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy.engine import URL

from registry.database.binaries import USER_OF_ROOT, make_user
from tests.eventually import eventually

PROGRAM = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
PORT = 6432


@asynccontextmanager
async def pgbouncer(server: URL, connections: int) -> AsyncIterator[URL]:
    """The URL of the same database behind a PgBouncer that opens so many connections."""
    assert PROGRAM is not None
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
        process = await asyncio.create_subprocess_exec(PROGRAM, "--quiet", *arguments)
        try:
            await eventually((folder / f".s.PGSQL.{PORT}").exists)
            yield server.set(host=None, port=PORT, password=None, query={"host": str(folder)})
        finally:
            process.kill()
            await process.wait()
