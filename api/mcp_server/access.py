"""The identity of an agent, the corpus that it means, and its error messages."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
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
# A session, the corpus that the agent means, and who it is.
Begun: TypeAlias = tuple[AsyncSession, Corpus, Principal]
Method: TypeAlias = Callable[Parameters, Awaitable[Result]]


@dataclass(frozen=True, slots=True)
class AgentAccess:
    """The resources of the tools of one server; over standard input the agent is the user of this machine."""

    runtime: Runtime
    principal: Callable[[AgentContext], Principal] = lambda _context: ANONYMOUS
    default_corpus: str = corpora.DEFAULT
    count_answer: Callable[[AnswerResult], None] = lambda _result: None

    @asynccontextmanager
    async def begin(self, context: AgentContext, name: str | None, *any_of: Scope) -> AsyncIterator[Begun]:
        """A session, and the corpus of this name, else that of the key, else the default one.

        Raises `Forbidden` without one of the scopes, `NotFound` without the corpus.
        """
        principal = self.principal(context)
        require_scope(principal, *any_of)
        async with self.runtime.database.begin() as session:
            if name is None and principal.corpus_id is not None:
                corpus = await corpora.get_by_id(session, principal.corpus_id)
            else:
                corpus = await corpora.get(session, name or self.default_corpus)
                require_visible(principal, corpus)
            yield session, corpus, principal

    async def corpus(self, context: AgentContext, name: str | None, *any_of: Scope) -> tuple[Corpus, Principal]:
        """The corpus, and who the agent is, for what has sessions of its own."""
        async with self.begin(context, name, *any_of) as (_, corpus, principal):
            return corpus, principal


def _raising(error_of: Callable[[CredenceError], type[Exception]]) -> Callable[[Method[..., Any]], Method[..., Any]]:
    def decorate(function: Callable[Parameters, Awaitable[Result]]) -> Callable[Parameters, Awaitable[Result]]:
        @wraps(function)
        async def with_errors(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
            try:
                return await function(*args, **kwargs)
            except CredenceError as error:
                kind = problems.kind_of(type(error))
                if kind.hides_detail:
                    log.error("tool_failed", exc_info=error)
                raise error_of(error)(kind.meaning if kind.hides_detail else str(error)) from error

        return with_errors

    return decorate


# Failures of a tool are results that the model can read, those of reading a resource errors of the protocol.
tool_errors = _raising(lambda _error: ToolError)
resource_errors = _raising(lambda error: ResourceNotFoundError if isinstance(error, NotFound) else ResourceError)
