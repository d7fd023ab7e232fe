"""Connections to public addresses only: a name is resolved, its addresses are checked, one of those is connected to.

The check follows the resolution and the connection goes to the address that was checked, so that a name whose address
changes in between (DNS rebinding) leads nowhere else. TLS still proves the name.
"""

import asyncio
import socket
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Annotated, TypeAlias

import httpcore
import httpx
from pydantic import AfterValidator, Field

from registry.platform.errors import FetchFailed
from registry.platform.fields import Url

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

# Azure serves credentials of virtual machines at this otherwise public address.
METADATA = ip_address("168.63.129.16")
NAT64 = ip_network("64:ff9b::/96")
# Of special use, though `is_global` of some versions of Python takes them for public: IETF protocol assignments
# (RFC 6890), translation within a site (RFC 8215), site-local addresses (RFC 3879), 6to4 relays (RFC 7526),
# documentation (RFC 9637) and segment routing (RFC 9602).
SPECIAL = tuple(
    map(ip_network, ("192.0.0.0/24", "192.88.99.0/24", "64:ff9b:1::/48", "fec0::/10", "3fff::/20", "5f00::/16"))
)
# IPv4 addresses as the last bits of IPv6 ones: deprecated (RFC 4291), and translated (RFC 2765).
IPV4_COMPATIBLE, IPV4_TRANSLATED = ip_network("::/96"), ip_network("::ffff:0:0:0/96")


def is_public(address: Address) -> bool:
    """Whether an address, or the IPv4 address embedded in an IPv6 one, is of the public internet."""
    if isinstance(address, IPv6Address):
        embedded = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if any(address in network for network in (NAT64, IPV4_COMPATIBLE, IPV4_TRANSLATED)):
            embedded = IPv4Address(int(address) & 0xFFFFFFFF)
        if embedded is not None:
            return is_public(embedded)
    special = address.is_multicast or address == METADATA or any(address in network for network in SPECIAL)
    return address.is_global and not special


class PublicBackend(httpcore.AsyncNetworkBackend):
    """Opens connections to public addresses, and to those of the networks that a setting names."""

    def __init__(self, networks: Sequence[Network] = (), setting: str = "CREDENCE_CONNECTOR_NETWORKS") -> None:
        self._networks = networks
        self._setting = setting
        self._backend = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  (httpcore's signature)
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """A connection to the first address that answers; raises `FetchFailed` where none is allowed."""
        failure: Exception | None = None
        for address in await self.allowed(host, port):
            try:
                return await self._backend.connect_tcp(address, port, timeout, local_address, socket_options)
            except httpcore.ConnectError as error:
                failure = error
        raise FetchFailed(f"{host}:{port} cannot be connected to: {failure}") from failure

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def allowed(self, host: str, port: int) -> list[str]:
        """The addresses of a host that may be connected to; raises `FetchFailed` where there are none."""
        try:
            resolved = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError, OverflowError) as error:
            raise FetchFailed(f"The name {host!r} cannot be resolved.") from error
        addresses = dict.fromkeys(str(info[4][0]) for info in resolved)
        allowed = [text for text in addresses if self._is_allowed(ip_address(text))]
        if not allowed:
            raise FetchFailed(f"{host} is not a public address, and not in one of the networks of {self._setting}.")
        return allowed

    def _is_allowed(self, address: Address) -> bool:
        return is_public(address) or any(address in network for network in self._networks)


def _fetchable(url: str) -> str:
    if not url:
        raise ValueError("is empty; give an address that begins with http:// or https://")
    try:
        address = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise ValueError(f"is no address that can be fetched: {error}") from error
    if address.userinfo:
        raise ValueError("holds a user name or password, which is not sent; remove it")
    return url


WebAddress = Annotated[Url, Field(json_schema_extra={"minLength": 1}), AfterValidator(_fetchable)]
