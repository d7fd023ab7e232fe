"""The difference between two estimations."""

from typing import Any
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import Share, Time, View


class ComparedRun(View):
    """One of two estimations that are compared."""

    id: UUID = Field(description="Identifier.")
    number: int = Field(description="Its number in the corpus.", examples=[3])
    name: str | None = Field(description="Its name, if it was given one.", examples=["before the new reader"])
    method: str | None = Field(description="How votes became reliabilities.", examples=["one_coin"])
    finished_at: Time | None = Field(description="When it ended.")


class SettingDifferenceView(View):
    """The method, the reader or a parameter that is not the same in two estimations."""

    name: str = Field(description="Which one.", examples=["method"])
    before: Any = Field(description="In the first.", examples=["iwmv"])
    after: Any = Field(description="In the second.", examples=["one_coin"])


class SourceEstimateView(View):
    """The estimate of a source that has votes in an estimation."""

    reliability: Share = Field(description="Its reliability.", examples=[0.86])
    lower: Share | None = Field(description="Lower end of the 90 % interval; null in old runs.", examples=[0.79])
    upper: Share | None = Field(description="Upper end of it.", examples=[0.92])
    vote_count: int = Field(description="Votes it cast.", examples=[58])
    copies: list[UUID] = Field(description="The other sources of its copy group.", examples=[[]])


class SourceDifferenceView(View):
    """A source in two estimations."""

    source_id: UUID = Field(description="The source, which may have been deleted since.")
    source_name: str = Field(description="Its name at the time of the newer of them.", examples=["Acme's blog"])
    before: SourceEstimateView | None = Field(
        description="Estimate in the first; null if it has no votes of the source."
    )
    after: SourceEstimateView | None = Field(description="Estimate in the second; null likewise.")
    change: float | None = Field(
        description="Change of its reliability, from -1 to 1; null if either has no votes of it.", examples=[-0.04]
    )
    was_regrouped: bool = Field(description="Whether it has other sources in its copy group.")


class EstimationDifference(View):
    """The difference between two estimations."""

    before: ComparedRun = Field(description="The first.")
    after: ComparedRun = Field(description="The second.")
    note: str | None = Field(
        description="Effect of different settings; null if they are the same.",
        examples=["The method changed, so this is no change of the sources."],
    )
    settings: list[SettingDifferenceView] = Field(description="Those that differ.")
    sources: list[SourceDifferenceView] = Field(
        description="All that have votes in either: first those with votes in one only, then the most changed."
    )
