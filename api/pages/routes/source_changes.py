"""A source changed by hand: its details, override and rating, and its end."""

from typing import Annotated

from fastapi import Form
from fastapi.responses import RedirectResponse
from pydantic import BaseModel
from starlette.responses import Response

from api.http.dependencies import AdminAccess
from api.http.routes.sources import (
    SourceReference,
    delete_override,
    delete_rating,
    delete_source,
    set_override,
    set_rating,
    update_source,
)
from api.pages.rendering import address
from api.pages.visitors import page_router
from registry.platform.enums import SourceStatus
from registry.platform.fields import Description, Name, Reason, Url
from registry.sources.schemas import OverrideInput, RatingInput, SourcePatch

router = page_router("/corpora/{corpus}/sources/{source_id}")

Share = Annotated[float, Form(ge=0, le=1)]


class SourceForm(BaseModel):
    """The details of a source as their form sends them: empty fields are removed."""

    name: Name
    status: SourceStatus
    url: Url | None = None
    description: Description = ""


@router.post("/details")
async def change_source(
    access: AdminAccess, source_id: SourceReference, form: Annotated[SourceForm, Form()]
) -> Response:
    """Rename, describe, pause or retire the source."""
    await update_source(SourcePatch(**form.model_dump()), access, source_id)
    return _back(access, source_id)


@router.post("/delete")
async def remove_source(access: AdminAccess, source_id: SourceReference) -> Response:
    """Delete the source and lead back to the others."""
    await delete_source(access, source_id)
    return RedirectResponse(address("corpora", access.corpus_name, "sources"), 303)


@router.post("/override")
async def change_override(
    access: AdminAccess, source_id: SourceReference, reliability: Share, reason: Annotated[Reason, Form()]
) -> Response:
    """Set the reliability of the source."""
    await set_override(OverrideInput(reliability=reliability, reason=reason), access, source_id)
    return _back(access, source_id)


@router.post("/override/delete")
async def remove_override(access: AdminAccess, source_id: SourceReference) -> Response:
    """Remove the override."""
    await delete_override(access, source_id)
    return _back(access, source_id)


@router.post("/rating")
async def change_rating(
    access: AdminAccess,
    source_id: SourceReference,
    rating: Share,
    origin: Annotated[Reason, Form()],
    strength: Annotated[float, Form(gt=0, le=1_000_000)],
) -> Response:
    """Set the rating of the source in an outside list."""
    await set_rating(RatingInput(rating=rating, strength=strength, origin=origin), access, source_id)
    return _back(access, source_id)


@router.post("/rating/delete")
async def remove_rating(access: AdminAccess, source_id: SourceReference) -> Response:
    """Remove the rating."""
    await delete_rating(access, source_id)
    return _back(access, source_id)


def _back(access: AdminAccess, source_id: str) -> Response:
    return RedirectResponse(address("corpora", access.corpus_name, "sources", source_id) + "#score", 303)
