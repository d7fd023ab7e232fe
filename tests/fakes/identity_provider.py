"""An OpenID Connect provider on loopback: discovery, keys, authorization code with PKCE, ID tokens by real RS256 keys.

with identity_provider() as provider:
    settings = provider.settings(settings)      # names it as the issuer
    provider.person = {"sub": "1", "email": ...}  # who is signed in there
    provider.forged = {"nonce": "other"}        # claims that differ from what they should be
"""

import hashlib
import json
import secrets
import socket
import threading
import time
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

import uvicorn
from joserfc import jwt
from joserfc.jwk import KeySet, OctKey, RSAKey
from joserfc.jws import JWSRegistry
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from registry.platform.settings import Settings

CLIENT_ID, CLIENT_SECRET = "credence", "s3cret-of-the-client"
ADA: Mapping[str, Any] = {"sub": "248289", "email": "Ada@Example.org", "email_verified": True, "name": "Ada Lovelace"}


class IdentityProvider:
    """The provider and how it misbehaves."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.person: Mapping[str, Any] = ADA
        self.forged: dict[str, Any] = {}
        self.algorithm = "RS256"
        self.metadata: dict[str, Any] = {}
        self.is_endless = False
        self.told_by_userinfo: frozenset[str] = frozenset()
        """Claims that are not in ID tokens."""
        self.key = RSAKey.generate_key(2048, {"kid": "a", "use": "sig"}, private=True)
        self.signing_key: RSAKey | OctKey = self.key
        self.requests: list[str] = []
        self._codes: dict[str, dict[str, str]] = {}
        paths = {
            "/.well-known/openid-configuration": self._discovery,
            "/jwks": self._keys,
            "/authorize": self._authorize,
            "/userinfo": self._userinfo,
        }
        routes = [Route(path, endpoint) for path, endpoint in paths.items()]
        self.app = Starlette(routes=[*routes, Route("/token", self._token, methods=["POST"])])

    def settings(self, settings: Settings, **others: object) -> Settings:
        """The settings with this provider as their issuer."""
        named = {"oidc_issuer": self.url, "oidc_client_id": CLIENT_ID, "oidc_client_secret": CLIENT_SECRET, **others}
        return Settings(**settings.model_dump() | {"require_api_keys": True} | named)

    async def _discovery(self, request: Request) -> Response:
        self.requests.append(request.url.path)
        if self.is_endless:
            return StreamingResponse(_endless(), media_type="application/json")
        endpoints = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "jwks"}
        told = {name: f"{self.url}/{path}" for name, path in endpoints.items()}
        told |= {"issuer": self.url, "userinfo_endpoint": f"{self.url}/userinfo"}
        algorithms = {"id_token_signing_alg_values_supported": ["none", "HS256", "RS256"]}
        return JSONResponse(told | algorithms | self.metadata)

    async def _keys(self, request: Request) -> Response:
        self.requests.append(request.url.path)
        return JSONResponse(KeySet([self.key]).as_dict(private=False))

    async def _authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        assert (asked["client_id"], asked["response_type"]) == (CLIENT_ID, "code")
        assert asked["code_challenge_method"] == "S256"
        assert "openid" in asked["scope"].split()
        code = secrets.token_urlsafe(16)
        self._codes[code] = asked
        return RedirectResponse(f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}", 303)

    async def _token(self, request: Request) -> Response:
        self.requests.append(request.url.path)
        sent = dict(await request.form())
        client = b64decode(request.headers["authorization"].removeprefix("Basic ")).decode()
        asked = self._codes.pop(str(sent.get("code")), None)
        digest = hashlib.sha256(str(sent["code_verifier"]).encode()).digest()
        challenge = urlsafe_b64encode(digest).rstrip(b"=").decode()
        if (
            client != f"{CLIENT_ID}:{CLIENT_SECRET}"
            or asked is None
            or asked["redirect_uri"] != sent["redirect_uri"]
            or asked["code_challenge"] != challenge
        ):
            return JSONResponse({"error": "invalid_grant"}, 400)
        now = int(time.time())
        own = {name: value for name, value in self.person.items() if name not in self.told_by_userinfo}
        claims = own | {"iss": self.url, "aud": CLIENT_ID, "iat": now, "exp": now + 300, "nonce": asked["nonce"]}
        claims = {name: value for name, value in (claims | self.forged).items() if value is not None}
        header = {"alg": self.algorithm, "kid": self.signing_key.kid or "a"}
        if self.algorithm == "none":
            token = f"{_encoded(header)}.{_encoded(claims)}."
        else:
            token = jwt.encode(header, claims, self.signing_key, registry=JWSRegistry(algorithms=[self.algorithm]))
        return JSONResponse({"access_token": "at", "token_type": "Bearer", "expires_in": 300, "id_token": token})

    async def _userinfo(self, request: Request) -> Response:
        self.requests.append(request.url.path)
        assert request.headers["authorization"] == "Bearer at"
        return JSONResponse(dict(self.person))


def _encoded(part: Mapping[str, Any]) -> str:
    return urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()


def _endless() -> Iterator[bytes]:
    while True:
        yield b" " * 65_536


@contextmanager
def identity_provider() -> Iterator[IdentityProvider]:
    """A provider in a thread of its own, for as long as the block lasts."""
    listening = socket.create_server(("127.0.0.1", 0))
    provider = IdentityProvider(f"http://127.0.0.1:{listening.getsockname()[1]}")
    server = uvicorn.Server(uvicorn.Config(provider.app, log_config=None, lifespan="off", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.should_exit = True
        thread.join(10)
        listening.close()
