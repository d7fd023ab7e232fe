"""What routes depend on: the runtime, a corpus that the caller may see, the paging of a list.

All of them are async, though most await nothing: FastAPI would run the others in threads.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.message import Message
from typing import Annotated

from fastapi import Depends, Path, Query, Request, Security
from fastapi.security import HTTPBearer
from sqlalchemy.ext.asyncio import AsyncSession

from api.http.authorization import principal_of, require_operator, require_scope, require_visible
from api.http.errors import UnsupportedMediaType
from api.http.middleware.body_limit import IMPORT_SUFFIX
from api.http.runtime_provider import RuntimeProvider
from registry.access.keys import Principal
from registry.database.paging import DEFAULT_LIMIT, MAX_LIMIT
from registry.inputs.keys import Scope
from registry.models import Corpus, Source
from registry.runtime import Runtime
from registry.store import corpora, sources

BEARER = HTTPBearer(
    scheme_name="api_key", bearerFormat="crd_...", description="An API key of Credence.", auto_error=False
)
_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})


def runtime_provider_of(request: Request) -> RuntimeProvider:
    """The runtime provider of the app that serves this request."""
    provider: RuntimeProvider = request.app.state.runtime_provider
    return provider


@dataclass(frozen=True, slots=True)
class Caller:
    """The principal of a request, and the runtime."""

    runtime: Runtime
    principal: Principal


@dataclass(frozen=True, slots=True)
class CorpusAccess:
    """A caller at a corpus, whose scopes have been checked."""

    runtime: Runtime
    principal: Principal
    corpus_name: str

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[tuple[AsyncSession, Corpus]]:
        """A transaction and the corpus in it; raises `NotFound` where the caller may not know of the corpus."""
        async with self.runtime.database.begin() as session:
            yield session, await self._visible(session)

    @asynccontextmanager
    async def at_source(self, reference: str) -> AsyncIterator[tuple[AsyncSession, Corpus, Source]]:
        """A transaction with the corpus and the source that `reference` names; raises what `sources.find` raises."""
        async with self.begin() as (session, corpus):
            yield session, corpus, await sources.find(session, corpus, reference)

    async def corpus(self) -> Corpus:
        """The corpus, for work that opens its own transactions."""
        async with self.begin() as (_, corpus):
            return corpus

    async def corpus_and_source(self, reference: str) -> tuple[Corpus, Source]:
        """The corpus and a source of it, for work that opens its own transactions."""
        async with self.at_source(reference) as (_, corpus, source):
            return corpus, source

    def path(self, *parts: object) -> str:
        """The address of something in this corpus."""
        return "/".join(["/v1/corpora", self.corpus_name, *map(str, parts)])

    async def _visible(self, session: AsyncSession) -> Corpus:
        corpus = await corpora.get(session, self.corpus_name)
        require_visible(self.principal, corpus)
        return corpus


def caller_with(*any_of: Scope) -> Callable[[Request], Awaitable[Caller]]:
    """A dependency: the caller, who must hold one of the scopes."""

    async def caller(request: Request) -> Caller:
        principal = principal_of(request.scope)
        require_scope(principal, *any_of)
        return Caller(runtime_provider_of(request).runtime, principal)

    return caller


async def operator(caller: Annotated[Caller, Depends(caller_with(Scope.ADMIN))]) -> Caller:
    """A dependency: the caller, whose key must belong to no corpus."""
    require_operator(caller.principal)
    return caller


def access_with(*any_of: Scope) -> Callable[..., Awaitable[CorpusAccess]]:
    """A dependency: access to the corpus in the path, for callers who hold one of the scopes."""

    async def access(caller: Annotated[Caller, Depends(caller_with(*any_of))], corpus: CorpusName) -> CorpusAccess:
        return CorpusAccess(caller.runtime, caller.principal, corpus)

    return access


async def require_json(request: Request) -> None:
    """Raise `UnsupportedMediaType` for a body that does not say that it is JSON; imports say what they take."""
    is_import = request.scope["path"].endswith(IMPORT_SUFFIX)
    if is_import or request.method not in _WITH_BODY or not await request.body():
        return
    message = Message()
    message["content-type"] = request.headers.get("content-type", "")
    subtype = message.get_content_subtype()
    if message.get_content_maintype() != "application" or not (subtype == "json" or subtype.endswith("+json")):
        raise UnsupportedMediaType("Send JSON, with `Content-Type: application/json`.")


@dataclass(frozen=True, slots=True)
class Paging:
    """Where in a list to go on, and the most rows wanted."""

    cursor: str | None
    limit: int


async def paging(
    cursor: Annotated[str | None, Query(max_length=200, description="`next_cursor` of the page before.")] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT, description="The largest number of rows.")] = DEFAULT_LIMIT,
) -> Paging:
    """The query parameters of every list."""
    return Paging(cursor, limit)


CorpusName = Annotated[str, Path(description="Name or id of the corpus.", examples=["default"])]
# Of every route under /v1.
PROTECTED = [Security(BEARER), Depends(require_json)]
PageParameters = Annotated[Paging, Depends(paging)]
OperatorCaller = Annotated[Caller, Depends(operator)]
ReadCaller = Annotated[Caller, Depends(caller_with(Scope.READ))]
AskCaller = Annotated[Caller, Depends(caller_with(Scope.ASK))]
ReadOrAskCaller = Annotated[Caller, Depends(caller_with(Scope.READ, Scope.ASK))]
ReadAccess = Annotated[CorpusAccess, Depends(access_with(Scope.READ))]
IngestAccess = Annotated[CorpusAccess, Depends(access_with(Scope.INGEST))]
AskAccess = Annotated[CorpusAccess, Depends(access_with(Scope.ASK))]
ReadOrAskAccess = Annotated[CorpusAccess, Depends(access_with(Scope.READ, Scope.ASK))]
AdminAccess = Annotated[CorpusAccess, Depends(access_with(Scope.ADMIN))]
