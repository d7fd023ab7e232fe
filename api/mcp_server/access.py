"""The identity of an agent, the corpus that it means, and its error messages."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeAlias, TypeVar

import structlog
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from starlette.requests import Request

from api.http import problems
from api.http.authorization import require_scope, require_visible
from estimator.errors import CredenceError
from registry.answers.result_schemas import AnswerResult
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.keys.schemas import Scope
from registry.keys.service import ANONYMOUS, Principal
from registry.platform.database.base import AsyncSession
from registry.platform.errors import NotFound
from registry.runtime import Runtime

log = structlog.get_logger(__name__)

# The context of the SDK is generic in the lifespan and the request, which the tools do not use.
AgentContext: TypeAlias = Context[Any, Request]
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def local_principal(_context: AgentContext) -> Principal:
    """The principal over standard input: the user of this machine, with all rights, as on the command line."""
    return ANONYMOUS


def uncounted(_result: AnswerResult) -> None:
    """Counts nothing: there are no metrics over standard input."""


@dataclass(frozen=True, slots=True)
class AgentAccess:
    """The resources of the tools of one server."""

    runtime: Callable[[], Runtime]
    """Raises `Unavailable` while there is none."""
    principal: Callable[[AgentContext], Principal] = local_principal
    default_corpus: str = corpora.DEFAULT
    count_answer: Callable[[AnswerResult], None] = uncounted

    def authorized(self, context: AgentContext, *any_of: Scope) -> Principal:
        """The principal; raises `Forbidden` without one of the scopes."""
        principal = self.principal(context)
        require_scope(principal, *any_of)
        return principal

    async def corpus(self, session: AsyncSession, principal: Principal, name: str | None) -> Corpus:
        """The corpus of this name, else that of the key, else the default one; raises `NotFound`."""
        if name is None and principal.corpus_id is not None:
            return await corpora.get_by_id(session, principal.corpus_id)
        corpus = await corpora.get(session, name or self.default_corpus)
        require_visible(principal, corpus)
        return corpus


def tool_errors(function: Callable[Parameters, Awaitable[Result]]) -> Callable[Parameters, Awaitable[Result]]:
    """Failures of the tool as results that the model can read."""

    @wraps(function)
    async def tool(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        try:
            return await function(*args, **kwargs)
        except CredenceError as error:
            raise ToolError(_text(error)) from error

    return tool


def resource_errors(function: Callable[Parameters, Awaitable[Result]]) -> Callable[Parameters, Awaitable[Result]]:
    """Failures of reading a resource as errors of the protocol."""

    @wraps(function)
    async def resource(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        try:
            return await function(*args, **kwargs)
        except CredenceError as error:
            kind = ResourceNotFoundError if isinstance(error, NotFound) else ResourceError
            raise kind(_text(error)) from error

    return resource


def _text(error: CredenceError) -> str:
    kind = problems.kind_of(type(error))
    if kind.hides_detail:
        log.error("tool_failed", exc_info=error)
    return kind.meaning if kind.hides_detail else str(error)
