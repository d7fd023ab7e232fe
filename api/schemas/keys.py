"""API keys as they are shown: without the secret, but for once."""

from uuid import UUID

from pydantic import Field

from api.schemas.base import ListView, Time, View
from registry.keys import Scope


class KeyView(View):
    """An API key; its secret is stored as a hash and cannot be shown."""

    id: UUID = Field(description="Identifier.")
    corpus_id: UUID | None = Field(description="The corpus it opens; null for an operator's key, which opens all.")
    name: str = Field(description="Whose it is, or what for.", examples=["nightly import"])
    prefix: str = Field(description="How the secret begins.", examples=["crd_8sK2pQ"])
    scopes: list[Scope] = Field(description="What it may do; `admin` includes the others.", examples=[["read", "ask"]])
    created_at: Time = Field(description="When it was made.")
    expires_at: Time | None = Field(description="When it stops working; null is never.")
    revoked_at: Time | None = Field(description="When it was revoked; null if it was not.")


class NewKeyView(KeyView):
    """A new API key, with its secret."""

    secret: str = Field(
        description="Send it as `Authorization: Bearer ...`. It is shown this once.",
        examples=["crd_8sK2pQ0vJx3mTnWb5yRzLc7dFhGaUe1iOk9qX4tVsPM"],
    )


class KeyList(ListView[KeyView]):
    """A page of API keys."""
