"""The HTTP service, put together."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.middleware import Middleware
from starlette.types import Lifespan

from api.http.connection import Connection
from api.http.failures import add_handlers
from api.http.metrics import Metrics
from api.http.middleware.authentication import Authentication
from api.http.middleware.body_limit import BodyLimit
from api.http.middleware.idempotency import Idempotency
from api.http.middleware.methods import HeadAndOptions
from api.http.middleware.request_log import RequestLog
from api.http.middleware.request_metrics import RequestMetrics
from api.http.openapi import DESCRIPTION, TAGS, OpenApi
from api.http.routes import ROUTERS
from registry.jobs.housekeeping import housekeeping
from registry.runtime import Runtime
from registry.settings import Settings


def create_app(settings: Settings, *, runtime: Runtime | None = None) -> FastAPI:
    """The service. It opens its own runtime, and waits for the database, unless it is handed one.

    Raises `SettingsError` at its start, not here, where the settings do not fit the database.
    """
    connection = Connection(settings, runtime)
    metrics = Metrics(connection)
    app = FastAPI(
        title="Credence",
        version=version("credence"),
        description=DESCRIPTION,
        openapi_tags=TAGS,
        lifespan=_lifespan(connection),
        middleware=_middleware(settings, connection, metrics),
        generate_unique_id_function=_operation_id,
        redirect_slashes=False,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
    )
    app.state.connection, app.state.metrics = connection, metrics
    add_handlers(app)
    for router in ROUTERS:
        app.include_router(router)
    app.openapi = OpenApi(app, keys_required=settings.keys_required)  # type: ignore[method-assign]  # FastAPI's own way
    return app


def _middleware(settings: Settings, connection: Connection, metrics: Metrics) -> list[Middleware]:
    """From the outside in: whatever refuses a request is logged and counted, and nothing is read for a stranger."""
    return [
        Middleware(RequestLog),
        Middleware(RequestMetrics, metrics=metrics),
        Middleware(HeadAndOptions),
        Middleware(BodyLimit, settings=settings),
        Middleware(Authentication, connection=connection),
        Middleware(Idempotency, connection=connection),
    ]


def _lifespan(connection: Connection) -> Lifespan[FastAPI]:
    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with connection.opened(), housekeeping(lambda: connection.runtime):
            yield

    return lifespan


def _operation_id(route: APIRoute) -> str:
    return route.name
