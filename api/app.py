"""The application: its routes and pages, middleware, error handlers and lifespan."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from asgi_correlation_id import CorrelationIdMiddleware
from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.staticfiles import StaticFiles
from starlette.types import Lifespan

from api.http import documentation
from api.http.error_responses import REQUEST_ID_HEADER, add_error_handlers, harmless_request_id
from api.http.metrics import Metrics
from api.http.middleware.admission import Admission
from api.http.middleware.authentication import Authentication
from api.http.middleware.body_limit import BodyLimit
from api.http.middleware.capacity import Capacity
from api.http.middleware.cross_origin import CrossOrigin
from api.http.middleware.drain import Drain, Draining
from api.http.middleware.idempotency import Idempotency
from api.http.middleware.methods import HeadAndOptions
from api.http.middleware.metrics_port import MetricsPort
from api.http.middleware.observation import RequestLog, RequestMetrics
from api.http.middleware.one_length import OneLength
from api.http.middleware.security_headers import SecurityHeaders
from api.http.openapi.document import DESCRIPTION, TAGS, OpenApi
from api.http.router import ROUTER
from api.http.runtime_provider import RuntimeProvider
from api.mcp_server.endpoint import McpEndpoint
from api.pages.errors import respond_in_kind
from api.pages.rendering import STATIC
from api.pages.routes import ROUTER as PAGES
from estimator.errors import DISTRIBUTION
from registry.jobs.housekeeping import housekeeping
from registry.jobs.indexing import indexing
from registry.keys import service as keys
from registry.keys.rates import RateLimits
from registry.platform.settings import Settings
from registry.runtime import Runtime


def create_app(settings: Settings, *, runtime: Runtime | None = None) -> FastAPI:
    """The service. It opens its own runtime, and waits for the database, unless it is handed one.

    Raises `SettingsError` at its start, not here, where the settings do not fit the database.
    """
    provider = RuntimeProvider(settings, runtime)
    metrics, drain = Metrics(provider), Drain()
    limits = RateLimits(settings, lambda: provider.runtime.database)
    agents = McpEndpoint(provider, metrics)
    app = FastAPI(
        title="Credence",
        version=version(DISTRIBUTION),
        description=DESCRIPTION,
        openapi_tags=TAGS,
        lifespan=_lifespan(provider, limits, agents),
        middleware=_middleware(settings, provider, metrics, drain, limits),
        redirect_slashes=False,
        # FastAPI traces requests where tracing is set up; its logs would hold messages of errors.
        telemetry={"logs": False, "metrics": False, "operation_spans": False},
        docs_url=None,
        redoc_url=None,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
    )
    app.state.runtime_provider, app.state.metrics = provider, metrics
    app.state.drain, app.state.limits = drain, limits
    add_error_handlers(app, respond_in_kind)
    # `include_router` would build what each route depends on anew for every app of a process.
    app.router.routes.extend([*ROUTER.routes, *documentation.router.routes, *PAGES.routes, agents.route])
    app.mount("/docs/assets", documentation.ASSETS)
    app.mount("/static", StaticFiles(directory=STATIC))
    app.openapi = OpenApi(app, keys_required=settings.keys_required)  # type: ignore[method-assign]  # FastAPI's own way
    return app


def _middleware(
    settings: Settings, provider: RuntimeProvider, metrics: Metrics, drain: Drain, limits: RateLimits
) -> list[Middleware]:
    """The middleware from the outermost on: refused requests are logged; no body is read before authentication."""
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
        Middleware(Authentication, provider=provider, limits=limits, respond=respond_in_kind),
        Middleware(Admission, limits=limits),
        Middleware(Idempotency, provider=provider),
    ]


def _lifespan(provider: RuntimeProvider, limits: RateLimits, agents: McpEndpoint) -> Lifespan[FastAPI]:
    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with (
            provider.opened(),
            housekeeping(lambda: provider.runtime),
            indexing(lambda: provider.runtime),
            limits.exchanging(),
            keys.noting_time(lambda: provider.runtime.database),
            agents.running(),
        ):
            yield

    return lifespan
