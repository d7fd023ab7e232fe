"""Sources, their reliabilities, overrides and ratings."""

from collections.abc import Iterable
from uuid import UUID

from api.client.call import DEFAULT, OF_CORPUS, Call, Nothing, of_corpus
from api.http.schemas.misreadings import JudgedView, MisreadingList, VerdictInput
from api.http.schemas.reliability_history import ReliabilityHistory
from api.http.schemas.sources import (
    InfluenceView,
    OverrideView,
    RatingView,
    ReliabilityView,
    SourceList,
    SourceVotes,
    SourceWithReliability,
)
from api.http.schemas.streams import LineView
from registry.platform.enums import SourceStatus
from registry.sources.schemas import OverrideInput, RatingInput, RatingLine, SourceInput, SourcePatch


def list_sources(*, status: SourceStatus | None = None, corpus: str = DEFAULT) -> Call[SourceList]:
    """The sources with their reliabilities."""
    return of_corpus("GET", "/sources", SourceList, corpus, query={"status": status})


def create_source(source: SourceInput, *, corpus: str = DEFAULT) -> Call[SourceWithReliability]:
    """Register a source."""
    return of_corpus("POST", "/sources", SourceWithReliability, corpus, source)


def get_source(source: str, *, corpus: str = DEFAULT) -> Call[SourceWithReliability]:
    """A source with its reliability, by its external id, id or name."""
    return of_corpus("GET", "/sources/{source_id}", SourceWithReliability, corpus, source_id=source)


def update_source(source: str, patch: SourcePatch, *, corpus: str = DEFAULT) -> Call[SourceWithReliability]:
    """Change, pause or retire a source; what is left out stays."""
    return of_corpus("PATCH", "/sources/{source_id}", SourceWithReliability, corpus, patch, source_id=source)


def delete_source(source: str, *, corpus: str = DEFAULT) -> Call[Nothing]:
    """Delete a source with its documents."""
    return of_corpus("DELETE", "/sources/{source_id}", Nothing, corpus, source_id=source)


def get_reliability(source: str, *, corpus: str = DEFAULT) -> Call[ReliabilityView]:
    """The reliability of a source, by its external id, id or name."""
    return of_corpus("GET", "/sources/{source_id}/reliability", ReliabilityView, corpus, source_id=source)


def list_reliability_history(source: str, *, corpus: str = DEFAULT) -> Call[ReliabilityHistory]:
    """List the estimates of a source, the oldest first."""
    return of_corpus("GET", "/sources/{source_id}/reliability/history", ReliabilityHistory, corpus, source_id=source)


def list_source_votes(
    source: str, *, against: bool = False, limit: int | None = None, corpus: str = DEFAULT
) -> Call[SourceVotes]:
    """The votes of a source in the current estimation, explained."""
    query = {"against": against, "limit": limit}
    return of_corpus("GET", "/sources/{source_id}/votes", SourceVotes, corpus, query=query, source_id=source)


def get_influence(source: str, *, corpus: str = DEFAULT) -> Call[InfluenceView]:
    """The queries whose answer would be another one without the source."""
    return of_corpus("GET", "/sources/{source_id}/influence", InfluenceView, corpus, source_id=source)


def set_override(source: str, override: OverrideInput, *, corpus: str = DEFAULT) -> Call[OverrideView]:
    """Set the reliability of a source by hand."""
    return of_corpus("PUT", "/sources/{source_id}/override", OverrideView, corpus, override, source_id=source)


def delete_override(source: str, *, corpus: str = DEFAULT) -> Call[Nothing]:
    """Let the estimate of a source count again."""
    return of_corpus("DELETE", "/sources/{source_id}/override", Nothing, corpus, source_id=source)


def set_rating(source: str, rating: RatingInput, *, corpus: str = DEFAULT) -> Call[RatingView]:
    """Set the rating of a source by an outside list."""
    return of_corpus("PUT", "/sources/{source_id}/rating", RatingView, corpus, rating, source_id=source)


def delete_rating(source: str, *, corpus: str = DEFAULT) -> Call[Nothing]:
    """Delete the rating of a source."""
    return of_corpus("DELETE", "/sources/{source_id}/rating", Nothing, corpus, source_id=source)


def send_ratings(ratings: Iterable[RatingLine], *, corpus: str = DEFAULT) -> Call[LineView]:
    """Rate many sources; for `Client.import_lines`."""
    return Call("POST", f"{OF_CORPUS}/ratings:import", LineView, path={"corpus": corpus}, lines=ratings)


def list_misreadings(
    *, open_only: bool = False, limit: int | None = None, corpus: str = DEFAULT
) -> Call[MisreadingList]:
    """Readings of the current estimation that look misread, the most suspect first."""
    return of_corpus("GET", "/misreadings", MisreadingList, corpus, query={"open": open_only, "limit": limit})


def judge_misreading(misreading_id: UUID, verdict: VerdictInput, *, corpus: str = DEFAULT) -> Call[JudgedView]:
    """Confirm or reject a misreading."""
    path = "/misreadings/{misreading_id}"
    return of_corpus("PUT", path, JudgedView, corpus, verdict, misreading_id=misreading_id)


def withdraw_verdict(misreading_id: UUID, *, corpus: str = DEFAULT) -> Call[Nothing]:
    """Take a verdict back."""
    return of_corpus("DELETE", "/misreadings/{misreading_id}", Nothing, corpus, misreading_id=misreading_id)
