"""Admission: what cannot be done in time, or is asked for too often, is refused before anything is done for it."""

import re

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from api.http.authorization import address_of, principal_of
from api.http.error_responses import respond
from api.http.middleware.authentication import AGENTS, PROTECTED
from api.http.middleware.body_limit import IMPORT_SUFFIX
from estimator.errors import CredenceError
from registry.access.rates import RateKind, RateLimits
from registry.errors import Overloaded
from registry.settings import LOOPBACK, Settings

# Read passages or call models for as long as the caller waits; what an agent wants stands in its body, not yet read.
QUESTION = re.compile(rf"/v1/.*(answers|conflict-scores|chat/completions|responses)|{AGENTS}")


class Admission:
    """Counts requests against the limits of their key or address, and bounds the questions that are answered at once.

    Whoever needs no key on this machine has no limits a minute.
    """

    def __init__(self, app: ASGIApp, settings: Settings, limits: RateLimits) -> None:
        self.app = app
        self._most = settings.concurrent_answers
        self._limits = limits
        self._answering = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith((PROTECTED, AGENTS)):
            await self.app(scope, receive, send)
            return
        try:
            await self._admit(scope)
        except CredenceError as error:
            await respond(error, scope)(scope, receive, send)
            return
        is_question = _is_question(scope)
        self._answering += is_question
        try:
            await self.app(scope, receive, send)
        finally:
            self._answering -= is_question

    async def _admit(self, scope: Scope) -> None:
        subject = subject_of(scope)
        if subject is not None:
            self._limits.take(RateKind.REQUEST, subject)
            if scope["method"] == "POST" and scope["path"].endswith(IMPORT_SUFFIX):
                await self._limits.take_shared(RateKind.IMPORT, subject)
        if self._answering >= self._most and _is_question(scope):
            raise Overloaded(f"{self._most} questions are being answered; repeat yours in a few seconds.")


def subject_of(scope: Scope) -> str | None:
    """Whose requests are counted together; None is nobody's."""
    principal, address = principal_of(scope), address_of(scope)
    if principal.key_id is not None:
        return f"key {principal.key_id}"
    return None if address in LOOPBACK or not address else f"address {address}"


def _is_question(scope: Scope) -> bool:
    return (
        scope["method"] == "POST"
        and QUESTION.fullmatch(scope["path"]) is not None
        and "respond-async" not in Headers(scope=scope).get("prefer", "")
    )
