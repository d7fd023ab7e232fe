"""The scopes that each operation needs, from the dependencies of its route."""

from collections.abc import Iterator
from dataclasses import dataclass

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts

from api.http.dependencies import AccessWith, CallerWith
from api.http.middleware.authentication import PROTECTED
from registry.keys.schemas import Scope


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation under `/v1`, and who may do it."""

    name: str
    """Method and path, with the names of the path's parameters in braces."""
    any_of: tuple[Scope, ...]
    as_operator: bool
    for_bound: bool
    """Whether keys that are bound to sources may do it, with what they are bound to."""

    @property
    def needs(self) -> str:
        """Scopes that a key must have."""
        scopes = " or ".join(f"`{scope}`" for scope in self.any_of)
        return f"{scopes} of an operator's key" if self.as_operator else scopes


def operations(app: FastAPI) -> list[Operation]:
    """All operations under `/v1`; raises `ValueError` for a route that needs no scope."""
    return [
        _operation(route, method)
        for route in api_routes(app)
        if route.path_format.startswith(PROTECTED)
        for method in sorted(route.methods or ())
    ]


def api_routes(app: FastAPI) -> Iterator[APIRoute]:
    """The routes of the HTTP interface and of the pages."""
    for context in iter_route_contexts(app.routes):
        if isinstance(context.original_route, APIRoute):
            yield context.original_route


def requirements(dependant: Dependant) -> Iterator[AccessWith | CallerWith]:
    """The dependencies that need scopes."""
    for dependency in dependant.dependencies:
        if isinstance(dependency.call, AccessWith | CallerWith):
            yield dependency.call
        yield from requirements(dependency)


def _operation(route: APIRoute, method: str) -> Operation:
    needed = list(requirements(route.dependant))
    # Some routes depend on the access twice, or on the caller too.
    (any_of,) = {item.any_of for item in needed}
    as_operator = any(item.as_operator for item in needed if isinstance(item, CallerWith))
    for_bound = not {Scope.INGEST, Scope.ADMIN}.issuperset(any_of)
    for_bound |= any(item.for_bound for item in needed if isinstance(item, AccessWith))
    return Operation(f"{method} {route.path_format}", any_of, as_operator, for_bound)
