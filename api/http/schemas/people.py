"""People who sign in."""

from typing import TYPE_CHECKING, Self, TypeAlias
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import ListView, Time, View
from registry.platform.enums import Role

if TYPE_CHECKING:
    from registry.people.model import Person


class PersonView(View):
    """Somebody who signed in with the provider of identities, or who is expected to."""

    id: UUID = Field(description="Identifier; also that of the API key, without a secret, that has their rights.")
    email: str | None = Field(description="Address, by the provider.", examples=["ada@example.org"])
    name: str | None = Field(description="Name, by the provider; null until they sign in.", examples=["Ada Lovelace"])
    role: Role = Field(description="What they may do.")
    corpus_id: UUID | None = Field(description="The only corpus that they may do it in; null is all.")
    subject: str | None = Field(description="Identifier at the provider; null until they sign in.")
    created_at: Time = Field(description="When they were added.")
    last_used_at: Time | None = Field(description="When they last did anything, to within a minute; null is never.")

    @classmethod
    def of(cls, person: "Person") -> Self:
        """The person with the times of their key."""
        key = person.key
        times = {"corpus_id": key.corpus_id, "created_at": key.created_at, "last_used_at": key.last_used_at}
        own = {name: getattr(person, name) for name in cls.model_fields if name not in times}
        return cls.model_validate(own | times)


PersonList: TypeAlias = ListView[PersonView]
