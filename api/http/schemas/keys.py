"""API keys, without their secrets except in the response that makes one."""

from collections.abc import Mapping
from typing import Self
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import ListView, Time, View
from registry.access.key_store import Spending
from registry.inputs.keys import Scope
from registry.models import ApiKey


class SpentView(View):
    """What a key has spent on language models today."""

    model_calls: int = Field(description="Calls.", examples=[120])
    tokens: int = Field(description="Tokens read and written.", examples=[48_000])


class KeyView(View):
    """An API key; its secret is stored as a hash and cannot be shown."""

    id: UUID = Field(description="Identifier.")
    corpus_id: UUID | None = Field(description="The corpus it is for; null for an operator's key, which is for all.")
    name: str = Field(description="Name of its owner or its purpose.", examples=["nightly import"])
    prefix: str = Field(description="The first characters of the secret.", examples=["crd_8sK2pQ"])
    scopes: list[Scope] = Field(description="What it allows; `admin` includes the others.", examples=[["read", "ask"]])
    created_at: Time = Field(description="When it was made.")
    expires_at: Time | None = Field(description="When it stops working; null is never.")
    revoked_at: Time | None = Field(description="When it was revoked; null if it was not.")
    daily_model_calls: int | None = Field(
        description="Calls of language models it may make a day; null is no limit.", examples=[500]
    )
    daily_tokens: int | None = Field(description="Tokens it may spend a day; null is no limit.", examples=[1_000_000])
    spent_today: SpentView | None = Field(
        default=None, description="What it has spent since midnight in UTC; null where it has no limit."
    )

    @classmethod
    def of(cls, key: ApiKey, spent: Mapping[UUID, Spending]) -> Self:
        """The key with what it has spent, by its id."""
        view = cls.model_validate(key)
        if key.daily_model_calls is None and key.daily_tokens is None:
            return view
        today = SpentView.model_validate(spent.get(key.id, Spending()))
        return view.model_copy(update={"spent_today": today})


class NewKeyView(KeyView):
    """A new API key, with its secret."""

    secret: str = Field(
        description="Send it as `Authorization: Bearer ...`. It is shown this once.",
        examples=["crd_8sK2pQ0vJx3mTnWb5yRzLc7dFhGaUe1iOk9qX4tVsPM"],
    )


class KeyList(ListView[KeyView]):
    """A page of API keys."""
