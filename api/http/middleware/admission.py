"""Admission: what is asked for too often, or cannot be answered in time, is refused before anything is done for it."""

import re

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from api.http.authorization import address_of, principal_of
from api.http.error_responses import respond
from api.http.middleware.authentication import AGENTS, PROTECTED
from api.http.middleware.body_limit import IMPORT_SUFFIX
from estimator.errors import CredenceError
from registry.keys import rates
from registry.keys.rates import RateKind, RateLimits
from registry.platform.errors import Overloaded
from registry.platform.settings import Settings
from registry.platform.sign_in_settings import LOOPBACK

# Read passages or call models for as long as the caller waits; what an agent wants stands in its body, not yet read.
QUESTION = re.compile(rf"/v1/.*(answers|conflict-scores|chat/completions|responses)|{AGENTS}")


class Admission:
    """Counts requests against the limits of their key or address. Whoever needs no key on this machine has none."""

    def __init__(self, app: ASGIApp, limits: RateLimits) -> None:
        self.app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith((PROTECTED, AGENTS)):
            try:
                await self._admit(scope)
            except CredenceError as error:
                await respond(error, scope)(scope, receive, send)
                return
        await self.app(scope, receive, send)

    async def _admit(self, scope: Scope) -> None:
        subject = subject_of(scope)
        if subject is not None:
            requests = principal_of(scope).requests_per_minute
            self._limits.take(RateKind.REQUEST, subject, requests)
            if scope["method"] == "POST" and scope["path"].endswith(IMPORT_SUFFIX):
                await self._limits.take_shared(RateKind.IMPORT, subject, requests)


def subject_of(scope: Scope) -> str | None:
    """Whose requests are counted together; None is nobody's."""
    principal, address = principal_of(scope), address_of(scope)
    if principal.key_id is not None:
        return rates.subject_of(principal.key_id)
    return None if address in LOOPBACK or not address else f"address {address}"


class Capacity:
    """Bounds the questions that are answered at once.

    It comes before authentication, whose queries would wait for connections that the answered questions use.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self._most = settings.concurrent_answers
        self._answering = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _is_question(scope):
            await self.app(scope, receive, send)
            return
        if self._answering >= self._most:
            refusal = Overloaded(f"{self._most} questions are being answered; repeat yours in a few seconds.")
            await respond(refusal, scope)(scope, receive, send)
            return
        self._answering += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self._answering -= 1


def _is_question(scope: Scope) -> bool:
    return (
        scope["method"] == "POST"
        and QUESTION.fullmatch(scope["path"]) is not None
        and "respond-async" not in Headers(scope=scope).get("prefer", "")
    )
