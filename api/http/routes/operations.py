"""Health, metrics and kinds of problems, for those who run the service. Of these only metrics need an API key."""

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import Field

from api.http import problems
from api.http.authorization import principal_of
from api.http.dependencies import runtime_of
from api.http.metrics import Metrics
from api.http.schemas.base import View
from registry.corpora import store as corpora
from registry.platform.errors import Forbidden, NotFound

router = APIRouter(tags=["operations"])


class Health(View):
    """The service works."""

    status: str = Field(description="`ok`.", examples=["ok"])
    replica: str | None = Field(
        default=None,
        description="For `/readyz` with a read replica: `in_use`, or `not_in_use` while it does not answer or"
        " is too far behind, and the primary server does its work.",
        examples=["in_use"],
    )


class ProblemKind(View):
    """The meaning of a kind of problem."""

    type: str = Field(description="Type, as in problems.", examples=["/problems/not-found"])
    title: str = Field(description="In short.", examples=["Not found"])
    status: int = Field(description="The HTTP status that comes with it.", examples=[404])
    meaning: str = Field(description="Meaning, and what to do.", examples=["Nothing is at this address."])


@router.get("/livez", summary="Liveness of the process", response_model_exclude_none=True)
async def livez(request: Request) -> Health:
    """Succeeds whether or not the database is available; 503 only for an embedded one that cannot be restarted."""
    if supervisor := runtime_of(request).supervisor:
        supervisor.require_hope()
    return Health(status="ok")


@router.get("/readyz", summary="Readiness to serve requests", response_model_exclude_none=True)
async def readyz(request: Request) -> Health:
    """503 while the database is unavailable or its schema has another revision than this code needs."""
    runtime = runtime_of(request)
    if runtime.supervisor:
        runtime.supervisor.require_up()
    async with runtime.database.begin() as session:
        await corpora.get(session, corpora.DEFAULT)
    replica = runtime.database.replica
    return Health(status="ok", replica=replica and ("in_use" if replica.is_in_use else "not_in_use"))


@router.get("/metrics", summary="Metrics for Prometheus", response_class=PlainTextResponse)
async def metrics(request: Request) -> Response:
    """Returns the metrics of this process; only the readings of estimations are counted over all processes.

    Needs an operator's API key, which is of no corpus, where requests need one, unless CREDENCE_PUBLIC_OPERATIONS is
    set.
    """
    if principal_of(request.scope).corpus_id is not None:
        raise Forbidden("The metrics are of all corpora, and name them. Use an operator's key, which is of none.")
    collected: Metrics = request.app.state.metrics
    return Response(await collected.text(), media_type=CONTENT_TYPE_LATEST)


@router.get("/problems/{slug}", summary="Meaning of a kind of problem")
async def get_problem_kind(
    slug: Annotated[str, Path(description="The end of the problem's `type`.", examples=["not-found"])],
) -> ProblemKind:
    """Every problem's `type` is the address of such a page."""
    for kind in problems.KINDS:
        if kind.slug == slug:
            return ProblemKind.model_validate(kind)
    raise NotFound("kind of problem", ascii(slug))
