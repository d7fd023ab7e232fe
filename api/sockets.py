"""Listening sockets, opened before anything else starts, so that a port in use is noticed at once."""

import errno
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from registry.platform.errors import SettingsError

BACKLOG = 2048
# A name may resolve to addresses this machine does not have, e.g. localhost to ::1 where there is no IPv6.
ABSENT = frozenset({errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT})


@contextmanager
def listening_on(host: str, port: int, *, setting: str = "CREDENCE_PORT") -> Iterator[list[socket.socket]]:
    """Sockets that listen on all addresses of `host` on one port; port 0 is any free one.

    Raises `SettingsError` if the address or the port cannot be used; it names the `setting` to change.
    """
    with ExitStack() as stack:
        listening: list[socket.socket] = []
        for family, address in _addresses(host, port):
            common_port = listening[0].getsockname()[1] if listening else port
            if opened := _listen_on(family, address, common_port, host, setting):
                listening.append(stack.enter_context(opened))
        if not listening:
            raise SettingsError(f"This machine has no address {host!r} to listen on.")
        yield listening


def url_of(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _addresses(host: str, port: int) -> list[tuple[socket.AddressFamily, str]]:
    try:
        results = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError) as error:
        raise SettingsError(f"There is no address {host!r} to listen on.") from error
    return list(dict.fromkeys((family, str(address[0])) for family, _, _, _, address in results))


def _listen_on(family: socket.AddressFamily, address: str, port: int, host: str, setting: str) -> socket.socket | None:
    try:
        listening = socket.create_server((address, port), family=family, backlog=BACKLOG)
    except OSError as error:
        if error.errno in ABSENT:
            return None
        raise SettingsError(_reason(host, port, setting, error)) from error
    # Inherited by every connection; asyncio sets it only on sockets made otherwise, and without it a response on a
    # kept connection waits 40 ms for the acknowledgement of its header.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def _reason(host: str, port: int, setting: str, error: OSError) -> str:
    option = "--" + setting.removeprefix("CREDENCE_").lower().replace("_", "-")
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} on {host} is in use. Choose another one with {option} or {setting}."
    if error.errno in {errno.EACCES, errno.EPERM}:
        return f"This user may not listen on port {port}. Choose one above 1023 with {option} or {setting}."
    return f"Cannot listen on {host}, port {port}: {error.strerror}."
