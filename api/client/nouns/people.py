"""People who sign in, and their roles."""

from api.client.call import Nothing, Operation, Sending, SendingTo
from api.http.schemas.people import PersonList, PersonView
from registry.people.schemas import PersonInput, PersonPatch

list_people = Operation("GET /v1/people", PersonList)
add_person = Sending("POST /v1/people", PersonView, PersonInput)
update_person = SendingTo("PATCH /v1/people/{person_id}", PersonView, PersonPatch)
remove_person = Operation("DELETE /v1/people/{person_id}", Nothing)
