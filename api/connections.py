"""Connections of clients: bounded in number, and closed where a request does not arrive."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

# Most connections of clients. Beyond it the longest idle one is closed.
MAX_CONNECTIONS = 800
# The time limit of the header of a request, and of a pause in its body.
RECEIVE_SECONDS = 20.0
# What one connection without a key can make this process hold: what the loop reads at once (256 KiB), what uvicorn
# keeps of a body that nobody reads (64 KiB more), a form to sign in (64 KiB) and a header (16 KiB), rounded up.
MAX_BYTES_OF_A_STRANGER = 512 * 1024
TIMED_OUT = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
FULL = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n"


class BoundedProtocol(H11Protocol):
    """uvicorn's protocol, which waits for ever for what a client does not send, with limits.

    A header must be complete `RECEIVE_SECONDS` after the connection or the first byte of the request, and the body may
    pause for as long. With `MAX_CONNECTIONS` open the one that has waited longest for a header is closed.
    """

    cycle: RequestResponseCycle | None  # type: ignore[assignment]  # None before the first request

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401  (uvicorn's own)
        super().__init__(*arguments, **options)
        self._timer: asyncio.TimerHandle | None = None
        self._awaited: object = None

    @property
    def awaits_header(self) -> bool:
        """Whether no request is under way on this connection."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS and not self._make_room():
            transport.write(FULL)
            transport.close()
            return
        self._watch()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def _watch(self) -> None:
        awaited = self.conn.their_state
        if awaited is h11.IDLE and self._awaited is h11.IDLE and self._timer is not None:
            return  # a header gets no more time for every byte
        self._stop_timer()
        self._awaited = awaited
        if awaited in {h11.IDLE, h11.SEND_BODY} and not self.transport.is_closing():
            self._timer = self.loop.call_later(RECEIVE_SECONDS, self._expire)

    def _expire(self) -> None:
        self._timer = None
        cycle = self.cycle
        if self._awaited is h11.SEND_BODY and (self.flow.read_paused or (cycle and cycle.waiting_for_100_continue)):
            self._watch()  # the client waits for us
            return
        if cycle is None or not cycle.response_started or cycle.response_complete:
            self.transport.write(TIMED_OUT)
        self.transport.close()

    def _make_room(self) -> bool:
        waiting = [
            other
            for other in self.connections
            if isinstance(other, BoundedProtocol) and other is not self and other.awaits_header
        ]
        if not waiting:
            return False
        oldest = min(waiting, key=lambda other: other._timer.when() if other._timer else 0.0)  # noqa: SLF001  (its own class)
        oldest.transport.abort()
        self.connections.discard(oldest)
        return True

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
