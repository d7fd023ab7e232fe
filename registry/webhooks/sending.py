"""Sends an event to an address outside, as Standard Webhooks has it (https://www.standardwebhooks.com).

The connection goes to an address that was checked (`registry.platform.addresses`). No redirect is followed, and
nothing of the reply is read but its status.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Mapping
from importlib.metadata import version

import httpcore
import httpx

from estimator.errors import DISTRIBUTION
from registry.platform.addresses import Network, PublicBackend
from registry.platform.errors import FetchFailed

PREFIX = "whsec_"
SECRET_BYTES = 32
# Receivers are to answer first and work then; Standard Webhooks recommends 15 to 30 seconds.
SECONDS = 15.0
SETTING = "CREDENCE_WEBHOOK_NETWORKS"


def new_secret() -> str:
    """A secret to sign with: 256 random bits in base64."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def rendered(message: Mapping[str, object]) -> bytes:
    """The body of a message, the same whenever it is sent again."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def signed_headers(secret: str, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The headers by which a receiver knows who sent a body, and when (in Unix seconds)."""
    signed = b".".join([message_id.encode(), str(timestamp).encode(), body])
    digest = hmac.digest(base64.b64decode(secret.removeprefix(PREFIX)), signed, hashlib.sha256)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }


async def check_address(url: str, networks: tuple[Network, ...]) -> None:
    """Raise `FetchFailed` unless the host of an address has a public address, or one of these networks."""
    address = httpx.URL(url)
    port = address.port or (443 if address.scheme == "https" else 80)
    try:
        async with asyncio.timeout(SECONDS):
            await PublicBackend(networks, SETTING).allowed(address.host, port)
    except TimeoutError as error:
        raise FetchFailed(f"The name {address.host!r} was not resolved in {SECONDS:g} s.") from error


async def post(
    url: str, secret: str, message_id: str, body: bytes, *, networks: tuple[Network, ...], seconds: float = SECONDS
) -> None:
    """Send a body once; raises `FetchFailed` unless the receiver answers with a status of success in time."""
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"Credence/{version(DISTRIBUTION)} (webhook)",
        **signed_headers(secret, message_id, int(time.time()), body),
    }
    # In ASCII, and without a fragment.
    address = str(httpx.URL(url).copy_with(fragment=None))
    try:
        async with (
            asyncio.timeout(seconds),
            httpcore.AsyncConnectionPool(network_backend=PublicBackend(networks, SETTING)) as pool,
            pool.stream("POST", address, headers=list(headers.items()), content=body) as response,
        ):
            status = response.status
    except TimeoutError as error:
        raise FetchFailed(f"No answer in {seconds:g} s.") from error
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException, OSError) as error:
        raise FetchFailed(f"The connection failed: {str(error) or type(error).__name__}.") from error
    if 300 <= status < 400:
        raise FetchFailed(f"The server answers {status}, and redirects are not followed: change the address.")
    if not 200 <= status < 300:
        raise FetchFailed(f"The server answers {status}.")
