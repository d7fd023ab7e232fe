"""Sources and their reliability as they are shown."""

from typing import Any, Self
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import ListView, Share, Time, View
from registry.models import EstimationRun, Override, RunSource, Source, SourceStatus
from registry.results.copy_groups import Voice
from registry.store.reliabilities import SourceReliability


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
    lower: Share | None = Field(description="Lower end of the 90 % interval of the estimate.", examples=[0.79])
    upper: Share | None = Field(description="Upper end of it.", examples=[0.92])
    prior: Share | None = Field(
        description="What counts where there is neither override nor estimate; null before any estimation.",
        examples=[0.71],
    )
    weight: float | None = Field(description="What its vote counted in that estimation.", examples=[6.74])
    vote_count: int = Field(description="Votes the estimate rests on.", examples=[58])
    voice: Voice | None = Field(description="The sources that it copies or is copied by; null for a voice of its own.")
    override: OverrideView | None = Field(description="The operator's reliability, if one is set.")

    @classmethod
    def of(cls, standing: SourceReliability, run: EstimationRun | None) -> Self:
        """From where a source stands in the current estimation."""
        voices = run.voices if run else []
        return cls(
            source_id=standing.source_id,
            estimation_id=run.id if run else None,
            reliability=standing.reliability,
            estimated=standing.estimated,
            lower=standing.lower,
            upper=standing.upper,
            prior=run.prior if run else None,
            weight=standing.weight,
            vote_count=standing.vote_count,
            voice=None if standing.voice is None else Voice.model_validate(voices[standing.voice]),
            override=override_view(standing.override),
        )


def override_view(override: Override | None) -> OverrideView | None:
    """The view of an override, if there is one."""
    return None if override is None else OverrideView.model_validate(override)


class SourceWithReliability(SourceView):
    """A source and what it counts."""

    reliability: ReliabilityView = Field(description="What it counts at present, and why.")

    @classmethod
    def joined(cls, source: Source, standing: SourceReliability, run: EstimationRun | None) -> Self:
        """From a row and from where it stands."""
        return cls(**SourceView.model_validate(source).model_dump(), reliability=ReliabilityView.of(standing, run))


class SourceList(ListView[SourceWithReliability]):
    """A page of sources."""


class RunSourceView(View):
    """What one estimation found about one source."""

    estimation_id: UUID = Field(description="The estimation.")
    source_id: UUID = Field(description="The source, which may be gone by now.")
    source_name: str = Field(description="Its name at that time.", examples=["Acme's blog"])
    reliability: Share | None = Field(
        description="Estimated share of its votes that are right; null where nothing was known.", examples=[0.86]
    )
    lower: Share | None = Field(description="Lower end of its 90 % interval; null in old runs.", examples=[0.79])
    upper: Share | None = Field(description="Upper end of it.", examples=[0.92])
    weight: float = Field(description="What its vote counted.", examples=[6.74])
    vote_count: int = Field(description="Votes it cast.", examples=[58])
    abstention_count: int = Field(description="Queries it was read for and did not vote on.", examples=[2])
    voice: int | None = Field(
        description="Place in the estimation's list of voices; null for a voice of its own.", examples=[0]
    )

    @classmethod
    def of(cls, row: RunSource) -> Self:
        """From a row of an estimation."""
        return cls.model_validate(row)


class ReliabilityHistory(ListView[RunSourceView]):
    """A page of the estimates of one source."""


class RunSourceList(ListView[RunSourceView]):
    """What an estimation found about its sources."""
