"""A call of the service: a request and the model of its response."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from urllib.parse import quote

from pydantic import BaseModel

from api.http.schemas.base import View

DEFAULT = "default"
OF_CORPUS = "/v1/corpora/{corpus}"
Model = TypeVar("Model", bound=BaseModel)
ModelT_co = TypeVar("ModelT_co", bound=BaseModel, covariant=True)


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
        """The path with its parameters."""
        return self.template.format(**{name: quote(value, safe="") for name, value in self.path.items()})


class Nothing(View):
    """A response without content."""


def of_corpus(
    method: str,
    path: str,
    response: type[Model],
    corpus: str,
    body: BaseModel | None = None,
    query: Mapping[str, object] | None = None,
    **parts: object,
) -> Call[Model]:
    """A call on something in a corpus; what is None in `query` is left out."""
    return Call(
        method,
        OF_CORPUS + path,
        response,
        path={"corpus": corpus, **{name: str(part) for name, part in parts.items()}},
        query=filled(query or {}),
        body=body,
    )


def filled(query: Mapping[str, object]) -> dict[str, str]:
    """The parameters that are not None, as text."""
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in query.items()
        if value is not None
    }
