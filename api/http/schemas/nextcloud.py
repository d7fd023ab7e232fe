"""Nextcloud's Context Chat: what the app sends to its backend, and what it is told."""

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from api.http.schemas.base import View
from api.http.schemas.chat import ClientInput
from registry.passages.schemas import MAX_DOCUMENTS
from registry.platform.fields import ExternalId, Question

Provider = Annotated[ExternalId, Field(examples=["files__default"])]
ItemId = Annotated[ExternalId, Field(examples=["files__default: 555"])]
User = Annotated[ExternalId, Field(examples=["alice"])]


class NextcloudInput(ClientInput):
    """Input of the app, whose names are written as in PHP."""

    model_config = ConfigDict(alias_generator=to_camel)


class AccessInput(NextcloudInput):
    """Users who may see an item, or all items of a provider."""

    op: Literal["allow", "deny"] | None = None
    """Whether they may from now on, or may no more; null: they may, and no others."""
    user_ids: Annotated[list[User], Field(min_length=1)]
    """The users."""
    source_id: ItemId | None = None
    """The item."""
    provider_id: Provider | None = None
    """The provider."""

    @model_validator(mode="after")
    def _require_one(self) -> Self:
        if (self.source_id is None) is (self.provider_id is None):
            raise ValueError("name either sourceId or providerId")
        return self


class ContextQueryInput(NextcloudInput):
    """A question or a search of a user."""

    user_id: User
    """The user, who is told of their own items and of what is for everybody."""
    query: Question
    """What is asked."""
    use_context: bool = True
    """Whether documents answer; without them a language model does."""
    scope_type: Literal["provider", "source"] | None = None
    """The kind of the scope; null: everything."""
    scope_list: Annotated[list[ExternalId], Field(max_length=MAX_DOCUMENTS)] | None = None
    """The providers or items that are looked at."""
    ctx_limit: Annotated[int, Field(ge=1)] = 20
    """Most items that a search finds; more than 100 are as 100."""

    @model_validator(mode="after")
    def _refuse_an_empty_scope(self) -> Self:
        if self.scope_type is not None and not self.scope_list:
            raise ValueError("scopeList must name what scopeType restricts to")
        return self


class EnabledView(View):
    """Whether the backend works."""

    enabled: bool = Field(description="Always true.")
    error: str = Field("", description="Always empty.")


class DoneView(View):
    """What was done."""

    message: str = Field(description="It in words.", examples=["Access updated"])


class LoadedView(View):
    """The items that are stored now, and those that shall be sent again; the others are of no use here."""

    loaded_sources: list[str] = Field(description="Ids of items that are stored.")
    sources_to_retry: list[str] = Field(description="Always empty: a failure is one of the whole request.")


class FoundItem(View):
    """An item that a search found."""

    source_id: str = Field(description="Its id.", examples=["files__default: 555"])
    title: str = Field(description="Its title.", examples=["Budget.md"])


class ContextReply(View):
    """The reply to a question."""

    output: str = Field(description="The reply as Markdown.")
    sources: list[str] = Field(description="Ids of the items that it quotes.")


class NextcloudError(View):
    """Why a request failed."""

    error: str = Field(description="The reason.", examples=["This needs an API key with the scope `admin`."])
    code: str = Field(description="The kind of failure, as in problems of other operations.", examples=["forbidden"])
