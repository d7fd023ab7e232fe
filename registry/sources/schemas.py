"""Sources, overrides and the query of the league table as callers send them; copy groups and reliability over time as
they are returned.
"""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BaseModel, Field

from answering.parameters import Number
from registry.platform.enums import SourceStatus
from registry.platform.fields import Attributes, Description, ExternalId, Input, Name, Reason, Result, Score, Url
from registry.viewers.schemas import Groups


class SourceInput(Input):
    """A new source."""

    name: Name
    """Name to display."""
    external_id: ExternalId | None = None
    """The caller's identifier, unique in the corpus; by default the name."""
    url: Url | None = None
    """Address of the publication."""
    description: Description = ""
    """Description of the source."""
    attributes: Attributes = Field(default_factory=dict)
    """Any other fields, as a JSON object."""
    allowed_groups: Groups | None = None
    """Groups that may see its documents, where these name none; null: all who may read the corpus. The source itself is
    seen by all of them."""


class SourcePatch(Input):
    """Fields to change; those left out or null stay, except that null removes `url` and `allowed_groups`."""

    name: Name | None = None
    """Name to display."""
    url: Url | None = None
    """Address of the publication."""
    description: Description | None = None
    """Description of the source."""
    attributes: Attributes | None = None
    """Any other fields, as a JSON object; replaces the former ones."""
    allowed_groups: Groups | None = None
    """Groups that may see its documents, where these name none; null: all who may read the corpus."""
    status: SourceStatus | None = None
    """Status of the source. Only `active` sources are read; `retired` ones take no documents either."""


class RatingInput(Input):
    """A rating of a source in an outside list."""

    rating: Annotated[float, Field(ge=0, le=1), Number]
    """Expected share of its votes that are right: the mean of its prior."""
    strength: Annotated[float, Field(gt=0, le=1_000_000), Number] = 10.0
    """Number of votes that the rating counts as."""
    origin: Reason
    """Origin of the rating: the list, its edition."""


class RatingLine(RatingInput):
    """The rating of a source in an import."""

    external_id: ExternalId
    """The source, by its external id."""


class OverrideInput(Input):
    """A reliability that an operator sets for a source."""

    reliability: Annotated[float, Field(ge=0, le=1), Number]
    """Counts instead of the estimate."""
    reason: Reason
    """Reason for the override."""


Percent = Annotated[int, Field(ge=0, le=100)]


class LeagueColumn(StrEnum):
    """The column by which the league table is sorted."""

    NAME = "name"
    RELIABILITY = "reliability"
    LOWER = "lower"
    VOTES = "votes"
    COVERAGE = "coverage"
    AGREEMENT = "agreement"
    CONFLICT = "conflict"
    CHANGE = "change"
    SINCE = "since"


class SourcesShown(StrEnum):
    """The sources that the league table shows."""

    ALL = "all"
    OVERRIDDEN = "overridden"
    TURNED = "turned"
    COPIES = "copies"
    SPECIALISTS = "specialists"
    WITHOUT_VOTES = "without_votes"


class LeagueQuery(BaseModel):
    """The query of the league table, as it stands in the address of its page."""

    text: Annotated[str, Field(max_length=500)] = ""
    """Part of the names or external ids of the sources."""
    show: SourcesShown = SourcesShown.ALL
    topic: Annotated[int, Field(ge=0, le=10_000)] | Literal["all"] = "all"
    """Place in the run's list of topics: the figures are those of the votes on it."""
    least: Percent = 0
    most: Percent = 100
    """Range of the reliability, without its end unless that is 100."""
    sort: LeagueColumn = LeagueColumn.RELIABILITY
    descending: bool = True
    page: Annotated[int, Field(ge=1)] = 1


Share = Annotated[float, Field(ge=0, le=1)]


class CopyLink(Result):
    """Two members of a copy group of which one probably copies the other."""

    first_id: UUID
    """One of them."""
    second_id: UUID
    """The other one."""
    log_odds: float
    """Natural logarithm of the odds that one copies the other."""
    agreement: Share
    """Share of the disputed queries that both have on which they answer alike."""
    copied_share: Share
    """Share of the answers that one copies from the other."""
    copier_id: UUID | None
    """The one that published later; null where publication dates do not show it."""


class CopyGroup(Result):
    """A copy group: sources that republish each other and count as one, with the evidence for it."""

    source_ids: tuple[UUID, ...]
    """Its members."""
    source_names: tuple[str, ...]
    """Their names when the run was made."""
    original_id: UUID | None
    """The member that the others copy from; null where publication dates do not show it."""
    log_odds: float
    """Natural logarithm of the odds that the two members with the strongest evidence copy."""
    agreement: Share | None = None
    """Share of the disputed queries that both have on which these two answer alike."""
    explained: Share | None = None
    """The share expected of independent sources of their reliabilities."""
    overlap: Share | None = None
    """Queries that both vote on, as a share of those that either does; null in runs made before it was kept."""
    shared_wrong: Annotated[float, Field(ge=0)]
    """Probably wrong answers that these two share; each counts by its probability of being wrong."""
    expected: Annotated[float, Field(ge=0)]
    """Number of answers that they would share if they were independent."""
    copied_share: Share
    """Share of the answers that one copies from the other; those that agree independently do not count."""
    links: tuple[CopyLink, ...] = ()
    """The strongest links between its members; empty in runs made before they were kept."""


class DissentedQuery(Result):
    """A query on which sources dissent together."""

    query_id: UUID
    """The query, which may have been deleted since."""
    query_text: str
    """Its text when the run was made."""
    answer: str | None
    """Answer that they give."""


class JointDissent(Result):
    """Sources that agree with each other where they leave the others, too often to answer by themselves."""

    source_ids: tuple[UUID, ...]
    """The sources."""
    source_names: tuple[str, ...]
    """Their names when the run was made."""
    log_odds: float
    """Natural logarithm of the odds that they do not answer by themselves on these queries."""
    queries: tuple[DissentedQuery, ...]
    """The queries on which they more probably do not; there the run counts them as one source. Empty for those who do
    not see everything."""

    def without_queries(self) -> Self:
        """A copy without the queries, for those who do not see all documents that the answers were read in."""
        return self.model_copy(update={"queries": ()})


class ReliabilityPeriod(Result):
    """A time in which a source had one reliability."""

    since: datetime
    """Time at which the first answer of this period was published."""
    until: datetime
    """Time at which the last one was."""
    reliability: Score
    """Estimated share of the votes of this period that are right."""
    lower: Score
    """Lower end of its 90 % interval."""
    upper: Score
    """Upper end of it."""
    vote_count: Annotated[int, Field(ge=0)]
    """Votes of this period."""
    log_odds: float | None
    """Natural logarithm of the odds that the source turned at the start of this period; null for the first one."""
