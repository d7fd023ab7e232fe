"""A model server that takes time and no processor: it sleeps before each reply, and counts what it is asked."""

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import AsyncIterator

from benchmarks.drill.service import QUESTION, STATEMENT
from tests.fakes.openai_server import prompt_of, says

READING_SECONDS = 0.05


class ModelServer:
    """Chat completions over HTTP on loopback; `asked` counts the prompts since `reset`."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.port = 0

    @property
    def url(self) -> str:
        """The base URL of its API."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def repeated(self) -> int:
        """Readings that were asked for although the same one was before."""
        return self.asked.total() - len(self.asked)

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator["ModelServer"]:
        """The server, for the duration of the block."""
        server = await asyncio.start_server(self._converse, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection until the client closes it or is killed."""
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError), contextlib.closing(writer):
            while True:
                header = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
                length = int(header.partition("content-length:")[2].partition("\r\n")[0])
                reply = await self._read(json.loads(await reader.readexactly(length)))
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
                writer.write(b"Content-Length: %d\r\n\r\n" % len(reply) + reply)
                await writer.drain()

    async def _read(self, body: dict[str, object]) -> bytes:
        prompt = prompt_of(body)
        self.asked[prompt] += 1
        await asyncio.sleep(READING_SECONDS)
        tower = QUESTION.search(prompt)
        colours = dict(STATEMENT.findall(prompt))
        return says(colours.get(tower[1], "IDK") if tower else "IDK").body
