"""The lines of a request's body, compressed or not; never more than one line is in memory."""

import zlib
from collections.abc import AsyncIterator, Collection, Iterator

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request

from api.http.errors import ApiError, BodyTooLarge, BrokenBody, UnsupportedMediaType
from registry.platform.ndjson import MAX_LINE_BYTES, Turns
from registry.platform.settings import Settings

NDJSON = "application/x-ndjson"
ACCEPTED = frozenset({NDJSON, "application/ndjson", "application/jsonl", "application/x-jsonlines"})
GZIP = frozenset({"gzip", "x-gzip"})
# The most bytes that are decompressed at once.
PIECE_BYTES = 2**18
_GZIP_BITS = 16 + zlib.MAX_WBITS


def require_ndjson(headers: Headers, also: Collection[str] = ()) -> str:
    """The media type; raises `UnsupportedMediaType` unless it is that of NDJSON or in `also`, perhaps gzipped."""
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in ACCEPTED and media_type not in also:
        others = f"; or {' or '.join(also)}" if also else ""
        raise UnsupportedMediaType(f"Send one JSON object a line, with `Content-Type: {NDJSON}`{others}.")
    if _encoding(headers) not in {"", "identity", *GZIP}:
        raise UnsupportedMediaType("The only Content-Encoding understood here is gzip.")
    return media_type


def import_lines(request: Request, settings: Settings, also: Collection[str] = ()) -> "RequestLines":
    """The lines of an import, within the service's limits; raises `UnsupportedMediaType` at once.

    They may come in the media types `also`, beside NDJSON.
    """
    media_type = require_ndjson(request.headers, also)
    return RequestLines(
        request, max_bytes=settings.max_import_bytes, max_line_bytes=MAX_LINE_BYTES, media_type=media_type
    )


class RequestLines:
    """The lines of a body, to be iterated over once.

    A line longer than `max_line_bytes` is cut there, so that its reader can refuse it. If the body is longer than
    `max_bytes` after decompression, is not valid gzip, or the client disconnects, the lines end before the incomplete
    one; `failure` is the error then.
    """

    def __init__(self, request: Request, *, max_bytes: int, max_line_bytes: int, media_type: str = NDJSON) -> None:
        self.media_type = media_type
        self._request = request
        self._max_bytes = max_bytes
        self._splitter = LineSplitter(max_line_bytes)
        self.failure: ApiError | None = None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        total, turns = 0, Turns()
        try:
            async for piece in _pieces(self._request):
                await turns.next()
                total += len(piece)
                if total > self._max_bytes:
                    raise BodyTooLarge(self._max_bytes)
                for line in self._splitter.feed(piece):
                    yield line
        except ClientDisconnect:
            return
        except ApiError as error:
            self.failure = error
            return
        if rest := self._splitter.rest():
            yield rest


async def _pieces(request: Request) -> AsyncIterator[bytes]:
    if _encoding(request.headers) not in GZIP:
        async for chunk in request.stream():
            yield chunk
        return
    gunzip = _Gunzip()
    async for chunk in request.stream():
        for piece in gunzip.feed(chunk):
            yield piece
    gunzip.end()


def _encoding(headers: Headers) -> str:
    return headers.get("content-encoding", "").strip().lower()


class _Gunzip:
    """Decompresses gzip, also several members in a row, in pieces of bounded size."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(_GZIP_BITS)
        self._begun = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._member.eof:
                self._member = zlib.decompressobj(_GZIP_BITS)
            self._begun = True
            try:
                piece = self._member.decompress(data, PIECE_BYTES)
            except zlib.error as error:
                raise BrokenBody("The body is not gzip, although its Content-Encoding says so.") from error
            if piece:
                yield piece
            data = self._member.unused_data if self._member.eof else self._member.unconsumed_tail

    def end(self) -> None:
        if self._begun and not self._member.eof:
            raise BrokenBody("The compressed body ends in the middle.")


class LineSplitter:
    """Cuts bytes into lines; of a line that is too long it keeps the beginning."""

    def __init__(self, max_line_bytes: int) -> None:
        self._longest = max_line_bytes
        self._open = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        *ended, rest = data.split(b"\n")
        for piece in ended:
            self._append(piece)
            yield bytes(self._open)
            self._open.clear()
        self._append(rest)

    def rest(self) -> bytes:
        return bytes(self._open)

    def _append(self, piece: bytes) -> None:
        # One byte more than allowed stays, so that the line is seen to be too long.
        self._open += piece[: self._longest + 1 - len(self._open)]
