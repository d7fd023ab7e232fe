"""Estimations, and when they start by themselves."""

from uuid import UUID

from api.client.call import DEFAULT, Call, Nothing, of_corpus
from api.http.schemas.differences import EstimationDifference
from api.http.schemas.estimations import EstimationInput, EstimationList, EstimationView
from api.http.schemas.schedules import ScheduleList, ScheduleView
from api.http.schemas.sources import RunSourceList
from api.http.schemas.streams import EventView
from registry.estimations.schemas import CurrentRunInput, EstimationParameters, RunPatch
from registry.schedules.schemas import ScheduleInput, SchedulePatch


def start_estimation(parameters: EstimationParameters | None = None, *, corpus: str = DEFAULT) -> Call[EstimationView]:
    """Estimate all reliabilities; follow it with `follow_estimation`."""
    body = EstimationInput(parameters=parameters) if parameters is not None else EstimationInput()
    return of_corpus("POST", "/estimations", EstimationView, corpus, body)


def list_estimations(*, corpus: str = DEFAULT) -> Call[EstimationList]:
    """The estimations."""
    return of_corpus("GET", "/estimations", EstimationList, corpus)


def get_estimation(estimation_id: UUID, *, corpus: str = DEFAULT) -> Call[EstimationView]:
    """An estimation, with its progress."""
    return of_corpus("GET", "/estimations/{estimation_id}", EstimationView, corpus, estimation_id=estimation_id)


def follow_estimation(estimation_id: UUID, *, corpus: str = DEFAULT) -> Call[EventView]:
    """The events of an estimation; for `Client.follow`."""
    return of_corpus("GET", "/estimations/{estimation_id}/events", EventView, corpus, estimation_id=estimation_id)


def cancel_estimation(estimation_id: UUID, *, corpus: str = DEFAULT) -> Call[EstimationView]:
    """Ask an estimation to stop."""
    path = "/estimations/{estimation_id}:cancel"
    return of_corpus("POST", path, EstimationView, corpus, estimation_id=estimation_id)


def rename_estimation(estimation_id: UUID, name: str | None, *, corpus: str = DEFAULT) -> Call[EstimationView]:
    """Name an estimation; None takes its name away."""
    path = "/estimations/{estimation_id}"
    return of_corpus("PATCH", path, EstimationView, corpus, RunPatch(name=name), estimation_id=estimation_id)


def make_estimation_current(estimation_id: UUID, instead_of: UUID, *, corpus: str = DEFAULT) -> Call[EstimationView]:
    """Weigh answers by an estimation instead of the one that is current now."""
    path, body = "/estimations/{estimation_id}:make-current", CurrentRunInput(instead_of=instead_of)
    return of_corpus("POST", path, EstimationView, corpus, body, estimation_id=estimation_id)


def compare_estimations(before: UUID, after: UUID, *, corpus: str = DEFAULT) -> Call[EstimationDifference]:
    """Compare two estimations."""
    path, query = "/estimations/{estimation_id}/difference", {"from": before}
    return of_corpus("GET", path, EstimationDifference, corpus, query=query, estimation_id=after)


def list_estimated_sources(estimation_id: UUID, *, corpus: str = DEFAULT) -> Call[RunSourceList]:
    """The sources of an estimation, the most reliable first."""
    path = "/estimations/{estimation_id}/sources"
    return of_corpus("GET", path, RunSourceList, corpus, estimation_id=estimation_id)


def list_schedules(*, corpus: str = DEFAULT) -> Call[ScheduleList]:
    """The schedules."""
    return of_corpus("GET", "/schedules", ScheduleList, corpus)


def create_schedule(schedule: ScheduleInput, *, corpus: str = DEFAULT) -> Call[ScheduleView]:
    """Make a schedule."""
    return of_corpus("POST", "/schedules", ScheduleView, corpus, schedule)


def update_schedule(schedule_id: UUID, patch: SchedulePatch, *, corpus: str = DEFAULT) -> Call[ScheduleView]:
    """Change a schedule or switch it off; what is left out stays."""
    return of_corpus("PATCH", "/schedules/{schedule_id}", ScheduleView, corpus, patch, schedule_id=schedule_id)


def delete_schedule(schedule_id: UUID, *, corpus: str = DEFAULT) -> Call[Nothing]:
    """Delete a schedule."""
    return of_corpus("DELETE", "/schedules/{schedule_id}", Nothing, corpus, schedule_id=schedule_id)
