"""Dependencies of routes: the runtime, a corpus that the caller may see, the paging of a list.

All of them are async, though most await nothing: FastAPI would run the others in threads.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.message import Message
from typing import Annotated

from fastapi import Depends, Path, Query, Request, Security
from fastapi.security import HTTPBearer

from api.http.authorization import principal_of, require_operator, require_scope, require_visible
from api.http.errors import UnsupportedMediaType
from api.http.middleware.body_limit import IMPORT_SUFFIX
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.keys.schemas import Scope
from registry.keys.service import Principal, require_unbound, require_within
from registry.platform.database.base import AsyncSession
from registry.platform.database.paging import DEFAULT_LIMIT, MAX_LIMIT
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source
from registry.viewers.model import Viewer

BEARER = HTTPBearer(
    scheme_name="api_key",
    bearerFormat="crd_...",
    description="An API key of Credence. The header "
    "`X-Credence-Groups: legal, board` narrows a request to what these groups may see, out of those of the key.",
    auto_error=False,
)
CorpusName = Annotated[str, Path(description="Name or id of the corpus.", examples=["default"])]
_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})


def runtime_of(request: Request) -> Runtime:
    runtime: Runtime = request.app.state.runtime
    return runtime


@dataclass(frozen=True, slots=True)
class Caller:
    """The principal of a request, and the runtime."""

    runtime: Runtime
    principal: Principal

    @property
    def viewer(self) -> Viewer:
        """The viewer for whom the request reads."""
        return self.principal.viewer

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[tuple[AsyncSession, None]]:
        """A transaction, in no corpus."""
        async with self.runtime.database.begin() as session:
            yield session, None

    def path(self, *parts: object) -> str:
        """The address of something outside of all corpora."""
        return "/".join(["/v1", *map(str, parts)])


@dataclass(frozen=True, slots=True)
class CorpusAccess:
    """A caller at a corpus, whose scopes have been checked."""

    runtime: Runtime
    principal: Principal
    corpus_name: str

    @property
    def viewer(self) -> Viewer:
        """The viewer for whom the request reads."""
        return self.principal.viewer

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

    async def corpus_and_own_source(self, reference: str) -> tuple[Corpus, Source]:
        """Like `corpus_and_source`; raises `Forbidden` for a source that the key is not bound to."""
        corpus, source = await self.corpus_and_source(reference)
        require_within(self.principal.source_bound, source)
        return corpus, source

    @property
    def only_own(self) -> bool:
        """Whether the caller may undo only verdicts of its own: right answers that it set, wordings that it joined."""
        return not self.principal.may(Scope.ADMIN)

    def require(self, scope: Scope) -> None:
        """Raise `Forbidden` for callers without a scope."""
        require_scope(self.principal, scope)

    def path(self, *parts: object) -> str:
        return "/".join(["/v1/corpora", self.corpus_name, *map(str, parts)])

    async def _visible(self, session: AsyncSession) -> Corpus:
        corpus = await corpora.get(session, self.corpus_name)
        require_visible(self.principal, corpus)
        return corpus


@dataclass(frozen=True, slots=True)
class CallerWith:
    """A dependency: the caller, who must hold one of the scopes, and for some operations an operator's key."""

    any_of: tuple[Scope, ...]
    as_operator: bool = False

    async def __call__(self, request: Request) -> Caller:
        """Raises `Forbidden`."""
        principal = principal_of(request.scope)
        require_scope(principal, *self.any_of)
        if self.as_operator:
            require_operator(principal)
        return Caller(runtime_of(request), principal)


@dataclass(frozen=True, slots=True)
class AccessWith:
    """A dependency: access to the corpus in the path, for callers who hold one of the scopes.

    With the scope `ingest` keys that are bound to sources get in only where the route holds itself to the bound.
    """

    any_of: tuple[Scope, ...]
    for_bound: bool = False

    async def __call__(self, request: Request, corpus: CorpusName) -> CorpusAccess:
        """Raises `Forbidden`."""
        caller = await CallerWith(self.any_of)(request)
        if Scope.INGEST in self.any_of and not self.for_bound:
            require_unbound(caller.principal.source_bound)
        return CorpusAccess(caller.runtime, caller.principal, corpus)


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
    """A position in a list, and the most rows wanted."""

    cursor: str | None
    limit: int


async def paging(
    cursor: Annotated[str | None, Query(max_length=200, description="`next_cursor` of the page before.")] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT, description="The largest number of rows.")] = DEFAULT_LIMIT,
) -> Paging:
    """The query parameters of every list."""
    return Paging(cursor, limit)


# Of every route under /v1.
PROTECTED = [Security(BEARER), Depends(require_json)]
PageParameters = Annotated[Paging, Depends(paging)]
OperatorCaller = Annotated[Caller, Depends(CallerWith((Scope.ADMIN,), as_operator=True))]
ReadCaller = Annotated[Caller, Depends(CallerWith((Scope.READ,)))]
AskCaller = Annotated[Caller, Depends(CallerWith((Scope.ASK,)))]
ReadOrAskCaller = Annotated[Caller, Depends(CallerWith((Scope.READ, Scope.ASK)))]
ReadAccess = Annotated[CorpusAccess, Depends(AccessWith((Scope.READ,)))]
IngestAccess = Annotated[CorpusAccess, Depends(AccessWith((Scope.INGEST,)))]
# Of routes that hold themselves to the sources that a key is bound to.
PublishAccess = Annotated[CorpusAccess, Depends(AccessWith((Scope.INGEST,), for_bound=True))]
AskAccess = Annotated[CorpusAccess, Depends(AccessWith((Scope.ASK,)))]
ReadOrAskAccess = Annotated[CorpusAccess, Depends(AccessWith((Scope.READ, Scope.ASK)))]
AdminAccess = Annotated[CorpusAccess, Depends(AccessWith((Scope.ADMIN,)))]
