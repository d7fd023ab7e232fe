"""The base of all parts of responses, times, shares, and pages of lists."""

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
