"""One line of result for each line of a request, sent while the request is still being read."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import TypeAlias

import structlog
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from api.http.problems import kind_of
from api.http.streaming.request_lines import NDJSON, RequestLines
from api.http.streaming.spool import Spool
from estimator.errors import CredenceError
from registry.documents.schemas import LineResult, rejected

Results: TypeAlias = Callable[[AsyncIterator[bytes]], AsyncIterator[LineResult]]

log = structlog.get_logger(__name__)


class ResultLines(Response):
    """Streams results as NDJSON.

    An error before the first result is raised, and answered as a problem; a later one becomes one more line, as the
    status has been sent by then. FastAPI's own JSON Lines responses send the status before there is a result.
    """

    media_type = NDJSON

    def __init__(self, lines: RequestLines, results: Results) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._lines = lines
        self._results = results

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002  (the lines read it)
        with Spool() as spool:
            work = asyncio.create_task(self._work(spool))
            try:
                await self._send(spool, work, send)
            finally:
                work.cancel()
                with suppress(asyncio.CancelledError):
                    await work

    async def _send(self, spool: Spool, work: "asyncio.Task[None]", send: Send) -> None:
        started = False
        async for chunk in spool.chunks():
            if not started:
                await self._start(send)
                started = True
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await work
        if not started:
            await self._start(send)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _start(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})

    async def _work(self, spool: Spool) -> None:
        last = 0
        try:
            async for result in self._results(aiter(self._lines)):
                spool.write(_line(result))
                last = max(last, result.line)
            if self._lines.failure is not None:
                raise self._lines.failure
        except CredenceError as error:
            if not spool.written:
                raise
            log.warning("import_broken_off", line=last + 1, why=error)
            spool.write(_line(_end(last + 1, error)))
        finally:
            spool.end()


def _line(result: LineResult) -> bytes:
    return result.model_dump_json().encode() + b"\n"


def _end(line: int, error: CredenceError) -> LineResult:
    kind = kind_of(type(error))
    reason = kind.meaning if kind.hides_detail else str(error)
    return rejected(line, f"The import ends here, later lines were not read: {reason}")
