"""The application: its routes and pages, middleware, error handlers and lifespan."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING

from asgi_correlation_id import CorrelationIdMiddleware
from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.staticfiles import StaticFiles
from starlette.types import Lifespan

from api.http.error_responses import REQUEST_ID_HEADER, add_error_handlers, harmless_request_id
from api.http.metrics import Metrics, MetricsPort
from api.http.middleware.admission import Admission, Capacity
from api.http.middleware.authentication import Authentication
from api.http.middleware.body_limit import BodyLimit
from api.http.middleware.browsers import CrossOrigin, SecurityHeaders
from api.http.middleware.drain import Drain, Draining
from api.http.middleware.idempotency import Idempotency
from api.http.middleware.observation import RequestLog, RequestMetrics
from api.http.middleware.protocol import HeadAndOptions, OneLength
from api.http.openapi import document as documentation
from api.http.openapi.document import DESCRIPTION, TAGS, OpenApi
from api.http.router import ROUTER
from api.mcp_server.endpoint import McpEndpoint
from api.pages.errors import respond_in_kind
from api.pages.rendering import STATIC
from api.pages.routes import ROUTER as PAGES
from estimator.errors import DISTRIBUTION
from registry.jobs import housekeeping
from registry.keys import service as keys
from registry.keys.rates import RateLimits
from registry.platform.repetition import every
from registry.platform.settings import Settings
from registry.runtime import Runtime

if TYPE_CHECKING:
    from registry.people.provider import Provider


def create_app(settings: Settings, *, runtime: Runtime) -> FastAPI:
    """The service, by these settings in place of those of the runtime."""
    runtime = replace(runtime, settings=settings)
    app, metrics, drain = documented_app(settings), Metrics(runtime), Drain()
    limits, agents = RateLimits(settings, runtime.database), McpEndpoint(runtime, metrics)
    app.state.runtime, app.state.metrics, app.state.drain, app.state.limits = runtime, metrics, drain, limits
    app.state.provider = _provider(settings)
    app.router.routes.append(agents.route)
    app.router.lifespan_context = _lifespan(runtime, limits, agents)
    app.user_middleware = _middleware(runtime, metrics, drain, limits)
    add_error_handlers(app, respond_in_kind)
    return app


def _provider(settings: Settings) -> "Provider | None":
    if settings.oidc_issuer is None:
        return None
    from registry.people.provider import Provider  # noqa: PLC0415  (Authlib takes a quarter of a second to import)

    return Provider(settings)


def documented_app(settings: Settings) -> FastAPI:
    """The routes and pages, with the document of the interface, and nothing that answers requests."""
    app = FastAPI(
        title="Credence",
        version=version(DISTRIBUTION),
        description=DESCRIPTION,
        openapi_tags=TAGS,
        redirect_slashes=False,
        # FastAPI traces requests where tracing is set up; its logs would hold messages of errors.
        telemetry={"logs": False, "metrics": False, "operation_spans": False},
        docs_url=None,
        redoc_url=None,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
    )
    # `include_router` would build what each route depends on anew for every app of a process.
    app.router.routes.extend([*ROUTER.routes, *documentation.router.routes, *PAGES.routes])
    app.mount("/docs/assets", documentation.ASSETS)
    app.mount("/static", StaticFiles(directory=STATIC))
    app.openapi = OpenApi(app, keys_required=settings.keys_required)  # type: ignore[method-assign]  # FastAPI's own way
    return app


def _middleware(runtime: Runtime, metrics: Metrics, drain: Drain, limits: RateLimits) -> list[Middleware]:
    """The middleware from the outermost on: refused requests are logged; no body is read before authentication."""
    settings = runtime.settings
    return [
        Middleware(
            CorrelationIdMiddleware, header_name=REQUEST_ID_HEADER, validator=None, transformer=harmless_request_id
        ),
        Middleware(SecurityHeaders),
        Middleware(RequestLog),
        Middleware(OneLength, respond=respond_in_kind),
        *([Middleware(MetricsPort, port=settings.metrics_port, metrics=metrics)] if settings.metrics_port else []),
        Middleware(RequestMetrics, metrics=metrics),
        *([Middleware(CrossOrigin, settings=settings)] if settings.cors_origins else []),
        Middleware(Draining, drain=drain),
        Middleware(HeadAndOptions),
        Middleware(BodyLimit, settings=settings, respond=respond_in_kind),
        Middleware(Capacity, settings=settings),
        Middleware(Authentication, runtime=runtime, limits=limits, respond=respond_in_kind),
        Middleware(Admission, limits=limits),
        Middleware(Idempotency, runtime=runtime),
    ]


def _lifespan(runtime: Runtime, limits: RateLimits, agents: McpEndpoint) -> Lifespan[FastAPI]:
    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with (
            every(3600.0, partial(housekeeping.clean, runtime), "housekeeping"),
            every(60.0, partial(housekeeping.update_index, runtime), "vector index"),
            every(1.0, limits.exchange, "counts of requests"),
            every(60.0, partial(keys.note_time, runtime.database), "time", at_once=True),
            agents.running(),
        ):
            yield

    return lifespan
