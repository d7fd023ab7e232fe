"""People who sign in, and their roles."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Response

from api.http.dependencies import PROTECTED, OperatorCaller, PageParameters
from api.http.openapi import examples
from api.http.openapi.responses import created
from api.http.schemas.people import PersonList, PersonView
from registry.corpora import store as corpora
from registry.people import store as people
from registry.people.schemas import PersonInput, PersonPatch

router = APIRouter(prefix="/v1/people", tags=["people"], dependencies=PROTECTED)

PersonId = Annotated[UUID, Path(description="Identifier of the person.")]


@router.post("", status_code=201, summary="Expect a person", responses={201: created("The person.")})
async def add_person(
    body: Annotated[PersonInput, examples.PERSON], caller: OperatorCaller, response: Response
) -> PersonView:
    """They have this role once they sign in with an address that the provider has verified."""
    async with caller.runtime.database.begin() as session:
        corpus = None if body.corpus is None else await corpora.get(session, body.corpus)
        view = PersonView.of(await people.expect(session, body, corpus))
    response.headers["Location"] = caller.path("people", view.id)
    return view


@router.get("", summary="List people")
async def list_people(caller: OperatorCaller, paging: PageParameters) -> PersonList:
    async with caller.runtime.database.begin() as session:
        page = await people.page(session, cursor=paging.cursor, limit=paging.limit)
        return PersonList.of(page, PersonView.of)


@router.patch("/{person_id}", summary="Change the role of a person")
async def update_person(
    patch: Annotated[PersonPatch, examples.PERSON_PATCH], caller: OperatorCaller, person_id: PersonId
) -> PersonView:
    """It counts at once, also where they are signed in. The only owner who has signed in stays one."""
    async with caller.runtime.database.begin() as session:
        if "corpus" in patch.model_fields_set:
            corpus = None if patch.corpus is None else (await corpora.get(session, patch.corpus)).id
        else:
            corpus = (await people.get(session, person_id)).key.corpus_id
        return PersonView.of(await people.change(session, person_id, role=patch.role, corpus=corpus))


@router.delete("/{person_id}", status_code=204, summary="Remove a person")
async def remove_person(caller: OperatorCaller, person_id: PersonId) -> None:
    """Ends their sessions. With a default role they can sign in anew and have that."""
    async with caller.runtime.database.begin() as session:
        await people.remove(session, person_id)
