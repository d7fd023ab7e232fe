"""People who sign in, for owners: listed, expected, given another role, removed."""

from typing import Annotated

from fastapi import Form, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, BeforeValidator

from api.http.authorization import principal_of
from api.http.dependencies import OperatorCaller, PageParameters, Paging
from api.http.routes import people
from api.http.routes.corpora import list_corpora
from api.http.routes.people import PersonId
from api.pages.rendering import address, page
from api.pages.visitors import page_router
from registry.people.schemas import SCOPES, Email, PersonInput, PersonPatch
from registry.platform.database.paging import MAX_LIMIT
from registry.platform.enums import Role
from registry.platform.fields import Name

HERE = address("operations", "people")
router = page_router(HERE)


class RoleForm(BaseModel):
    """A role in a form; without a corpus it is one in all."""

    role: Role
    corpus: Annotated[Name | None, BeforeValidator(lambda value: value or None)] = None


class PersonForm(RoleForm):
    """A person who is expected."""

    email: Email


@router.get("")
async def show_people(request: Request, caller: OperatorCaller, paging: PageParameters) -> Response:
    """Everybody with their role, and the form that adds somebody."""
    settings = caller.runtime.settings
    listed = await list_corpora(caller, Paging(None, MAX_LIMIT))
    return page(
        request,
        "service/people.html",
        people=await people.list_people(caller, paging),
        here=HERE,
        corpora={corpus.id: corpus.name for corpus in listed.items},
        roles=list(SCOPES),
        role_claim=settings.oidc_role_claim,
        default_role=settings.oidc_default_role,
        own_id=principal_of(request.scope).key_id,
    )


@router.post("")
async def add_person(caller: OperatorCaller, form: Annotated[PersonForm, Form()]) -> Response:
    """Expect somebody."""
    await people.add_person(PersonInput(**form.model_dump()), caller, Response())
    return RedirectResponse(f"{HERE}#people", 303)


@router.post("/{person_id}")
async def change_person(caller: OperatorCaller, person_id: PersonId, form: Annotated[RoleForm, Form()]) -> Response:
    """Give somebody another role."""
    await people.update_person(PersonPatch(role=form.role, corpus=form.corpus), caller, person_id)
    return RedirectResponse(f"{HERE}#people", 303)


@router.post("/{person_id}/remove")
async def remove_person(caller: OperatorCaller, person_id: PersonId) -> Response:
    """Remove somebody."""
    await people.remove_person(caller, person_id)
    return RedirectResponse(f"{HERE}#people", 303)
