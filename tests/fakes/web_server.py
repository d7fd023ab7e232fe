"""A web server to fetch from: real HTTP on loopback, as slow, endless or untruthful as told.

async with FakeWebServer() as server:
    server.pages["/"] = Reply("Hello", etag='"1"')      # answers 304 to its ETag
    server.pages["/slow"] = Reply("Hello", delay=5)
    server.requests                                     # paths, in order of arrival
    server.posts                                        # headers, by their names in lower case, and bodies
"""

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self


@dataclass(frozen=True, slots=True)
class Reply:
    """One response; `endless` repeats its body until the client goes away."""

    body: str | bytes = b""
    status: int = 200
    media_type: str = "text/html"
    etag: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    endless: bool = False

    @property
    def content(self) -> bytes:
        """The body as bytes."""
        return self.body.encode() if isinstance(self.body, str) else self.body


class FakeWebServer:
    """Serves `pages` by path; all others answer 404."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self._host = host
        self.pages: dict[str, Reply] = {}
        self.requests: list[str] = []
        self.posts: list[tuple[dict[str, str], bytes]] = []
        self._connections: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, self._host, 0)
        self.port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                if head.startswith("POST "):
                    lines = (line.partition(": ") for line in head.splitlines()[1:] if line)
                    headers = {name.lower(): value for name, _, value in lines}
                    self.posts.append((headers, await reader.readexactly(int(headers["content-length"]))))
                await self._answer(head, writer)
        finally:
            self._connections.discard(task)
            writer.close()

    async def _answer(self, head: str, writer: asyncio.StreamWriter) -> None:
        path = head.split(" ")[1]
        self.requests.append(path)
        reply = self.pages.get(path, Reply("Nothing here.", 404))
        await asyncio.sleep(reply.delay)
        unchanged = reply.etag is not None and f"if-none-match: {reply.etag}".lower() in head.lower()
        headers = {"Content-Type": reply.media_type, "Connection": "close", **reply.headers}
        if reply.etag is not None:
            headers["ETag"] = reply.etag
        if not reply.endless and not unchanged:
            headers["Content-Length"] = str(len(reply.content))
        lines = [f"HTTP/1.1 {304 if unchanged else reply.status} x", *(f"{k}: {v}" for k, v in headers.items())]
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
        if not unchanged:
            writer.write(reply.content)
        await writer.drain()
        while reply.endless:
            writer.write(reply.content)
            await writer.drain()
