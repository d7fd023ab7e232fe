"""The provider of identities: an OpenID Connect issuer, by Authlib.

Authorization code flow with PKCE. State, nonce and verifier of a sign-in follow from one random token, which the
browser keeps in a cookie: whoever returns with a code without that cookie did not begin here.
"""

import asyncio
import hmac
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from ssl import SSLContext
from typing import Any, Final

import httpx2
import structlog
from authlib.integrations.base_client import OAuthError
from authlib.integrations.starlette_client.apps import StarletteOAuth2App
from joserfc.errors import JoseError
from pydantic import BaseModel, HttpUrl, ValidationError

from registry.people.schemas import Identity, highest
from registry.platform.errors import Unauthenticated, Unavailable
from registry.platform.fields import CONTROL, storable
from registry.platform.settings import Settings

log = structlog.get_logger(__name__)

SECONDS: Final = 15.0
"""For all requests of a step together."""
MAX_BYTES: Final = 512 * 1024
MAX_CHARACTERS: Final = 200
LEEWAY_SECONDS: Final = 60
ALGORITHMS: Final = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519", "EdDSA"}
)
"""Signatures by a private key of the provider: never `none`, nor a secret that others know."""


class Metadata(BaseModel):
    """What the issuer says of itself."""

    issuer: str
    authorization_endpoint: HttpUrl
    token_endpoint: HttpUrl
    jwks_uri: HttpUrl
    userinfo_endpoint: HttpUrl | None = None
    end_session_endpoint: HttpUrl | None = None
    id_token_signing_alg_values_supported: list[str] = ["RS256"]


@cache
def _tls() -> SSLContext:
    """Shared by all requests: to read the certificates takes 30 ms, in which nobody else is answered."""
    return httpx2.create_ssl_context()


class _Bounded(httpx2.AsyncBaseTransport):
    """Reads responses whole, of at most `MAX_BYTES`."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Raises `httpx2.HTTPError` for a response that is longer, or compressed although that was not asked for."""
        request.headers["Accept-Encoding"] = "identity"
        async with httpx2.AsyncHTTPTransport(verify=_tls()) as transport:
            response = await transport.handle_async_request(request)
            if response.headers.get("Content-Encoding", "identity") != "identity":
                raise httpx2.DecodingError("compressed", request=request)
            body = bytearray()
            async for part in response.aiter_raw():
                body += part
                if len(body) > MAX_BYTES:
                    raise httpx2.ReadError(f"more than {MAX_BYTES} bytes", request=request)
            return httpx2.Response(response.status_code, headers=response.headers, content=bytes(body))


class Provider:
    """The issuer of the settings; it is asked for its addresses and keys when somebody first signs in."""

    def __init__(self, settings: Settings) -> None:
        if settings.oidc_issuer is None:
            raise ValueError("the settings name no issuer")
        self._issuer = str(settings.oidc_issuer).rstrip("/")
        self._role_claim = settings.oidc_role_claim
        secret = settings.oidc_client_secret
        self._app = StarletteOAuth2App(
            framework=None,
            client_id=settings.oidc_client_id,
            client_secret=secret.get_secret_value() if secret else None,
            server_metadata_url=f"{self._issuer}/.well-known/openid-configuration",
            client_kwargs={
                "scope": "openid email profile",
                "code_challenge_method": "S256",
                "transport": _Bounded(),
                "timeout": SECONDS,
            },
        )

    async def address(self, token: str, redirect_uri: str) -> str:
        """The address at which the browser with this token signs in; raises `Unavailable`."""
        async with self._exchange():
            await self._metadata()
            made = await self._app.create_authorization_url(
                redirect_uri,
                state=derived(token, "state"),
                nonce=derived(token, "nonce"),
                code_verifier=derived(token, "verifier"),
            )
            return str(made["url"])

    async def sign_out_address(self) -> str | None:
        """The address at which a browser signs out of the provider; None if it has none. Raises `Unavailable`."""
        async with self._exchange():
            endpoint = (await self._metadata()).end_session_endpoint
        if endpoint is None:
            return None
        parameters = [*endpoint.query_params(), ("client_id", str(self._app.client_id))]
        return str(httpx2.URL(str(endpoint)).copy_with(params=parameters))

    async def identity(self, token: str, redirect_uri: str, *, state: str, code: str) -> Identity:
        """Who signed in with this code. Raises `Unauthenticated` where that is not proved, and `Unavailable`."""
        if not hmac.compare_digest(state.encode("utf-8", "surrogatepass"), derived(token, "state").encode()):
            raise Unauthenticated("This sign-in did not begin in this browser, or is over; begin it again.")
        async with self._exchange():
            metadata = await self._metadata()
            tokens = await self._app.fetch_access_token(
                redirect_uri, code=code, code_verifier=derived(token, "verifier")
            )
            claims = await self._app.parse_id_token(
                tokens,
                nonce=derived(token, "nonce"),
                leeway=LEEWAY_SECONDS,
                claims_options={
                    "iss": {"essential": True, "value": metadata.issuer},
                    "aud": {"essential": True, "value": self._app.client_id},
                },
            )
            if claims is None:
                raise Unauthenticated("The provider of identities sent no ID token.")
            if metadata.userinfo_endpoint is not None and not {"email", self._role_claim} - {None} <= claims.keys():
                told = await self._app.userinfo(token=tokens)
                # The ID token is signed, and says whom the rest has to be about.
                claims = {**told, **claims} if told.get("sub") == claims["sub"] else claims
        return self._identity_of(metadata.issuer, claims)

    def _identity_of(self, issuer: str, claims: Mapping[str, Any]) -> Identity:
        subject = _text(claims["sub"])
        if subject is None or subject != claims["sub"]:
            raise Unauthenticated("The provider of identities names a subject that is no short text.")
        email, verified = _text(claims.get("email")), claims.get("email_verified")
        roles = claims.get(self._role_claim or "")
        return Identity(
            issuer=issuer,
            subject=subject,
            email=email.lower() if email else None,
            is_verified=verified is True or verified == "true",
            name=_text(claims.get("name")) or _text(claims.get("preferred_username")),
            role=highest(roles if isinstance(roles, list) else [roles]),
        )

    async def _metadata(self) -> Metadata:
        """The addresses of the issuer; raises `Unavailable` if they are not those of the issuer of the settings."""
        known = await self._app.load_server_metadata()
        try:
            metadata = Metadata.model_validate(known)
            if metadata.issuer.rstrip("/") != self._issuer:
                raise ValueError(f"it is {metadata.issuer[:MAX_CHARACTERS]!r}")
            endpoints = (
                metadata.authorization_endpoint,
                metadata.token_endpoint,
                metadata.jwks_uri,
                metadata.end_session_endpoint,
            )
            schemes = {endpoint.scheme for endpoint in endpoints if endpoint is not None}
            if self._issuer.startswith("https://") and schemes != {"https"}:
                raise ValueError("an endpoint is without TLS")
            known["id_token_signing_alg_values_supported"] = sorted(
                ALGORITHMS.intersection(metadata.id_token_signing_alg_values_supported)
            )
        except ValueError:
            self._app.server_metadata.clear()
            raise
        return metadata

    @asynccontextmanager
    async def _exchange(self) -> AsyncIterator[None]:
        """Requests to the provider, whose failures become ours."""
        try:
            async with asyncio.timeout(SECONDS):
                yield
        except (OAuthError, JoseError) as error:
            log.warning("sign_in_refused", why=str(error))
            raise Unauthenticated(f"The sign-in is not valid ({error.error}); begin it again.") from error
        except (httpx2.HTTPError, TimeoutError, RuntimeError, ValueError, ValidationError) as error:
            log.warning("identity_provider_failed", why=str(error) or type(error).__name__)
            raise Unavailable(
                f"The provider of identities at {self._issuer} does not answer as it should; the log says why. API "
                "keys still sign in."
            ) from error


def derived(token: str, purpose: str) -> str:
    """A value for one purpose that follows from a token, which does not follow from it."""
    return hmac.digest(token.encode("utf-8", "surrogatepass"), purpose.encode(), "sha256").hex()


def _text(value: object) -> str | None:
    """A claim that is a text, on one line and not too long; None for any other."""
    if not isinstance(value, str) or len(value) > MAX_CHARACTERS:
        return None
    return CONTROL.sub("", storable(value)).strip() or None
