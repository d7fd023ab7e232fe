"""API keys, without their secrets except in the response that makes one."""

from typing import TYPE_CHECKING, Self, TypeAlias
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import ListView, Time, View
from registry.keys.schemas import Scope, Spending, Stored

if TYPE_CHECKING:
    from registry.keys.model import ApiKey
    from registry.keys.quotas import Usage


class KeyView(View):
    """An API key; its secret is stored as a hash and cannot be shown."""

    id: UUID = Field(description="Identifier.")
    corpus_id: UUID | None = Field(description="The corpus it is for; null for an operator's key, which is for all.")
    name: str = Field(description="Name of its owner or its purpose.", examples=["nightly import"])
    prefix: str = Field(description="The first characters of the secret.", examples=["crd_8sK2pQ"])
    scopes: list[Scope] = Field(description="Scopes; `admin` includes the others.", examples=[["read", "ask"]])
    created_at: Time = Field(description="When it was made.")
    expires_at: Time | None = Field(description="When it stops working; null is never.")
    revoked_at: Time | None = Field(description="When it was revoked; null if it was not.")
    previous_secret_ends_at: Time | None = Field(
        description="When the secret from before the last rotation stops working; null if it was never rotated."
    )
    last_used_at: Time | None = Field(description="When it was last used, to within a minute; null is never.")
    allowed_addresses: list[str] = Field(
        description="Networks from which it may be used; empty is from everywhere.", examples=[["10.0.0.0/8"]]
    )
    sources: list[str] | None = Field(
        description="External ids of the only sources that it may make and write; null, with no prefix, is all.",
        examples=[["herald"]],
    )
    source_prefix: str | None = Field(
        description="Prefix of the external ids of others that it may create and write.", examples=["herald/"]
    )
    groups: list[str] | None = Field(
        description="Groups whose documents it sees, beside documents for everybody; null sees everything.",
        examples=[["legal", "board"]],
    )
    daily_model_calls: int | None = Field(description="Calls of language models it may make a day; null is no limit.")
    daily_tokens: int | None = Field(description="Tokens it may spend a day; null is no limit.")
    requests_per_minute: int | None = Field(
        description="Requests it may make a minute; null is what the settings allow."
    )
    daily_questions: int | None = Field(description="Questions it may ask a day; null is no limit.")
    max_documents: int | None = Field(description="Documents it may store; null is no limit.")
    max_stored_bytes: int | None = Field(description="Bytes of texts and former revisions; null is no limit.")
    spent_today: Spending | None = Field(
        default=None, description="Spending since midnight in UTC; null without a daily limit."
    )
    stored: Stored | None = Field(default=None, description="Storage; null without a limit.")
    requests_this_minute: int = Field(default=0, description="Requests in this minute, as of a second ago.")

    @classmethod
    def of(cls, key: "ApiKey", usage: "Usage") -> Self:
        """The key with what it has spent and stored."""
        used = {"spent_today": usage.spent, "stored": usage.stored, "requests_this_minute": usage.requests}
        return cls.model_validate(key).model_copy(update=used)


class NewKeyView(KeyView):
    """A new API key, with its secret."""

    secret: str = Field(
        description="Send it as `Authorization: Bearer ...`. It is shown this once.",
        examples=["crd_8sK2pQ0vJx3mTnWb5yRzLc7dFhGaUe1iOk9qX4tVsPM"],
    )


KeyList: TypeAlias = ListView[KeyView]
