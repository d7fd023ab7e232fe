"""Which methods a path has; the framework knows them one route at a time."""

from fastapi.routing import iter_route_contexts
from starlette.routing import Route
from starlette.types import Scope


def allowed_methods(scope: Scope) -> list[str]:
    """The methods of all routes at the path of the request, for the header Allow; empty where there is no route."""
    found = {
        method
        for context in iter_route_contexts(scope["app"].routes)
        if isinstance(context.original_route, Route) and context.original_route.path_regex.match(scope["path"])
        for method in context.original_route.methods or ()
    }
    if "GET" in found:
        found.add("HEAD")
    return sorted(found | {"OPTIONS"}) if found else []
