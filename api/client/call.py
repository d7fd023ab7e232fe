"""A call of the service, a request and the model of its response; and the operations that make calls."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar
from urllib.parse import quote
from uuid import UUID

from pydantic import BaseModel

from api.http.schemas.base import View

DEFAULT = "default"
OF_CORPUS = "/v1/corpora/{corpus}"
Body = TypeVar("Body", bound=BaseModel)
ModelT_co = TypeVar("ModelT_co", bound=BaseModel, covariant=True)
# Values that a caller gives in their order; the corpus is given by name.
_PLACE = re.compile(r"{(?!corpus})(\w+)}")


@dataclass(frozen=True, slots=True)
class Call(Generic[ModelT_co]):
    """A request and the model of its response."""

    method: str
    template: str
    response: type[ModelT_co]
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: BaseModel | None = None
    lines: Iterable[BaseModel] = ()
    """Lines of an import, sent as NDJSON; the response then has a line for each."""
    content: Iterable[bytes] | None = None
    """Content of an import whose lines are bytes already, sent once as it is read."""
    is_repeatable: bool = True
    """Whether a POST takes a key under which a repetition is the same request."""

    @property
    def url(self) -> str:
        """The path with its parameters; the corpus is `default` unless it is named."""
        parts = {"corpus": DEFAULT, **self.path}
        return self.template.format(**{name: quote(value, safe="") for name, value in parts.items()})


class Nothing(View):
    """A response without content."""


@dataclass(frozen=True, slots=True)
class _Operation(Generic[ModelT_co]):
    operation: str
    """Method and path, which is in a corpus unless it begins with `/v1`."""
    response: type[ModelT_co]
    is_repeatable: bool = field(default=True, kw_only=True)

    def _call(
        self, parts: Iterable[object], corpus: str | None, query: Mapping[str, object], body: BaseModel | None = None
    ) -> Call[ModelT_co]:
        method, path = self.operation.split(" ")
        values = dict(zip(_PLACE.findall(path), map(str, parts), strict=True))
        return Call(
            method,
            path if path.startswith("/v1") else OF_CORPUS + path,
            self.response,
            path=values if corpus is None else {"corpus": corpus, **values},
            query={
                name: str(value).lower() if isinstance(value, bool) else str(value)
                for name, value in query.items()
                if value is not None
            },
            body=body,
            is_repeatable=self.is_repeatable,
        )


class Operation(_Operation[ModelT_co]):
    """An operation without a body, called with the values of the places in its path, in their order, and its query
    parameters by name; None is left out. A value is an id, or where the service takes it an external id or a name.
    """

    def __call__(self, *parts: UUID | str | int, corpus: str | None = None, **query: object) -> Call[ModelT_co]:
        return self._call(parts, corpus, query)


@dataclass(frozen=True, slots=True)
class Sending(_Operation[ModelT_co], Generic[ModelT_co, Body]):
    """An operation that is sent something, called with it."""

    body: type[Body]

    def __call__(self, body: Body, *, corpus: str | None = None) -> Call[ModelT_co]:
        return self._call((), corpus, {}, body)


@dataclass(frozen=True, slots=True)
class SendingTo(_Operation[ModelT_co], Generic[ModelT_co, Body]):
    """An operation on one thing that is sent something, called with the id of the thing and what is sent."""

    body: type[Body]

    def __call__(self, to: UUID | str, body: Body, *, corpus: str | None = None) -> Call[ModelT_co]:
        return self._call((to,), corpus, {}, body)


@dataclass(frozen=True, slots=True)
class Importing(_Operation[ModelT_co], Generic[ModelT_co, Body]):
    """An import, called with its lines; for `Client.import_lines`. The response has a line for each."""

    line: type[Body]

    def __call__(
        self, lines: Iterable[Body] = (), *parts: UUID | str, corpus: str | None = None, **query: object
    ) -> Call[ModelT_co]:
        return replace(self._call(parts, corpus, query), lines=lines)
