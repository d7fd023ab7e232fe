"""TLS in front of a Postgres that has none: answers libpq's SSLRequest and passes the decrypted bytes on.

The embedded Postgres is compiled without TLS. What Credence sends and checks is libpq's own, so that only the far
end is played here.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

# PostgreSQL, "Message Formats": a length of 8, then 1234 and 5679.
SSL_REQUEST = bytes.fromhex("0000000804d2162f")


@asynccontextmanager
async def tls_proxy(socket_path: str, context: ssl.SSLContext | None) -> AsyncIterator[int]:
    """Its port on loopback; without a context it says that it has no TLS, as such a Postgres does."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            if await reader.readexactly(len(SSL_REQUEST)) == SSL_REQUEST:
                writer.write(b"S" if context else b"N")
            if context:
                await writer.start_tls(context)
                await _relay(reader, writer, socket_path)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def _relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, socket_path: str) -> None:
    upstream_reader, upstream_writer = await asyncio.open_unix_connection(socket_path)
    async with asyncio.TaskGroup() as both:
        both.create_task(_pump(reader, upstream_writer))
        both.create_task(_pump(upstream_reader, writer))


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while block := await source.read(1 << 16):
            target.write(block)
            await target.drain()
    target.close()
