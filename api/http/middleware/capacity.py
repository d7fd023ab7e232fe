"""Capacity: questions that cannot be answered in time are refused before anything is asked of the database."""

import re

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from api.http.error_responses import respond
from api.http.middleware.authentication import AGENTS
from registry.platform.errors import Overloaded
from registry.platform.settings import Settings

# Read passages or call models for as long as the caller waits; what an agent wants stands in its body, not yet read.
QUESTION = re.compile(rf"/v1/.*(answers|conflict-scores|chat/completions|responses)|{AGENTS}")


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
