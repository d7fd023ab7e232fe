"""Sources and their reliability as they are shown."""

from typing import Any, Self
from uuid import UUID

from pydantic import Field

from api.schemas.base import ListView, Share, Time, View
from registry.models import Override, RunSource, SourceStatus
from registry.standings import Standing


class SourceView(View):
    """A publisher whose documents share one reliability."""

    id: UUID = Field(description="Identifier.")
    external_id: str = Field(description="The caller's own identifier, unique in the corpus.", examples=["acme-blog"])
    name: str = Field(description="Name for people.", examples=["Acme's blog"])
    url: str | None = Field(description="Where it publishes.", examples=["https://blog.acme.example"])
    description: str = Field(description="What it is.", examples=["Announcements, since 2012"])
    attributes: dict[str, Any] = Field(description="Anything the caller wants to keep.", examples=[{"owner": "press"}])
    status: SourceStatus = Field(description="`active` is read, `paused` waits, `retired` stays for the record.")
    created_at: Time = Field(description="When it was registered.")
    updated_at: Time = Field(description="When it last changed.")


class SourceList(ListView[SourceView]):
    """A page of sources."""


class OverrideView(View):
    """An operator's reliability for a source; no estimation overwrites it."""

    reliability: Share = Field(description="What counts instead of the estimate.", examples=[0.2])
    reason: str = Field(description="Why.", examples=["Hacked in March"])
    created_by: str = Field(description="Name of the API key that set it, or `anonymous`.", examples=["ops"])
    created_at: Time = Field(description="When it was set.")


class ReliabilityView(View):
    """What a source counts at present, and why."""

    source_id: UUID = Field(description="The source.")
    estimation_id: UUID | None = Field(description="The current estimation; null if there is none yet.")
    reliability: Share | None = Field(
        description="What counts: the override, else the estimate; null if there is neither.", examples=[0.86]
    )
    estimated: Share | None = Field(
        description="The estimate of the current estimation; null if the source was not in it.", examples=[0.86]
    )
    weight: float | None = Field(description="What its vote counted in that estimation.", examples=[6.74])
    vote_count: int = Field(description="Votes the estimate rests on.", examples=[58])
    override: OverrideView | None = Field(description="The operator's reliability, if one is set.")

    @classmethod
    def of(cls, standing: Standing, estimation_id: UUID | None) -> Self:
        """From where a source stands in the current estimation."""
        return cls(
            source_id=standing.source_id,
            estimation_id=estimation_id,
            reliability=standing.reliability,
            estimated=standing.estimated,
            weight=standing.weight,
            vote_count=standing.vote_count,
            override=override_view(standing.override),
        )


def override_view(override: Override | None) -> OverrideView | None:
    """The view of an override, if there is one."""
    return None if override is None else OverrideView.model_validate(override)


class RunSourceView(View):
    """What one estimation found about one source."""

    estimation_id: UUID = Field(description="The estimation.")
    source_id: UUID = Field(description="The source, which may be gone by now.")
    source_name: str = Field(description="Its name at that time.", examples=["Acme's blog"])
    reliability: Share | None = Field(
        description="Estimated share of its votes that are right; null where nothing was known.", examples=[0.86]
    )
    weight: float = Field(description="What its vote counted.", examples=[6.74])
    vote_count: int = Field(description="Votes it cast.", examples=[58])
    abstention_count: int = Field(description="Queries it was read for and did not vote on.", examples=[2])

    @classmethod
    def of(cls, row: RunSource) -> Self:
        """From a row of an estimation."""
        return cls.model_validate(row)


class ReliabilityHistory(ListView[RunSourceView]):
    """A page of the estimates of one source."""


class RunSourceList(ListView[RunSourceView]):
    """What an estimation found about its sources."""
