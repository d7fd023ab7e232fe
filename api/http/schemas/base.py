"""The base of all responses: times, shares, pages of lists, events, and problems (RFC 9457)."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Generic, Self, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

if TYPE_CHECKING:
    from registry.platform.database.paging import Page


ROUNDING = 1e-9


class View(BaseModel):
    """A part of a response, made from a row or from values."""

    model_config = ConfigDict(frozen=True, from_attributes=True, extra="ignore")


def _in_utc(time: datetime) -> datetime:
    return time.astimezone(UTC)


def _rounded(value: object) -> object:
    """A mean of shares may be above 1 by its last bit."""
    return min(value, 1.0) if isinstance(value, float) and value < 1 + ROUNDING else value


Time = Annotated[datetime, AfterValidator(_in_utc), Field(examples=["2026-11-21T05:00:00.123456Z"])]
Share = Annotated[float, BeforeValidator(_rounded), Field(ge=0, le=1)]

Item = TypeVar("Item")
Row = TypeVar("Row")


class ListView(View, Generic[Item]):
    """One page of a list."""

    items: list[Item] = Field(description="The rows of this page, the oldest first unless the operation says more.")
    next_cursor: str | None = Field(description="`cursor` of the next page; null on the last one.")

    @classmethod
    def model_parametrized_name(cls, params: tuple[Any, ...]) -> str:
        """`SourceList` for a list of `SourceView` or `SourceWithReliability`."""
        return re.sub("(View|Summary|InList|WithReliability)$", "", params[0].__name__) + "List"

    @classmethod
    def of(cls, page: "Page[Row]", view: Callable[[Row], Item]) -> Self:
        return cls(items=[view(row) for row in page.items], next_cursor=page.next_cursor)


class EventView(View):
    """The `data` of a server-sent event."""

    kind: str = Field(description="Event, which is also its name.", examples=["progress"])
    created_at: Time = Field(description="When it happened.")
    data: dict[str, Any] = Field(description="Numbers that go with it.", examples=[{"queries_collected": 24}])


class Fault(View):
    """One thing that is wrong with a request."""

    location: str = Field(
        description="Location: `body`, `query`, `path` or `header`, then the names that lead to it.",
        examples=["body.parameters.kappa"],
    )
    message: str = Field(description="Error at that location.", examples=["Input should be greater than or equal to 1"])


class Problem(View):
    """The reason why a request failed (RFC 9457)."""

    type: str = Field(
        description="The kind of problem, for programs; it never changes and can be read at that address.",
        examples=["/problems/invalid-request"],
    )
    title: str = Field(description="The kind of problem in words.", examples=["The request is not valid"])
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="What went wrong this time, and what to do.", examples=["1 part is not valid."])
    instance: str = Field(description="The path that was asked for.", examples=["/v1/corpora/default/answers"])
    request_id: str = Field(
        description="The id under which the log of the service has more.", examples=["0199f0a2c4e57d3a8b1c2d3e4f5a6b7c"]
    )
    errors: list[Fault] | None = Field(
        default=None, description="Only of requests that are not valid: every part that is wrong, at most 20."
    )


class Failure(View):
    """The reason why accepted work failed in the end."""

    detail: str = Field(description="What went wrong, and what to do.", examples=["This corpus has no active queries."])
