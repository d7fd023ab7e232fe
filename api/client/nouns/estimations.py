"""Estimations, and when they start by themselves."""

from uuid import UUID

from api.client.call import Call, Nothing, Operation, Sending, SendingTo
from api.http.schemas.base import EventView
from api.http.schemas.estimations import EstimationInput, EstimationList, EstimationView
from api.http.schemas.schedules import ScheduleList, ScheduleView
from api.http.schemas.sources import RunSourceList
from registry.estimations.schemas import CurrentRunInput, EstimationParameters, RunDifference, RunPatch
from registry.schedules.schemas import ScheduleInput, SchedulePatch

_START = Sending("POST /estimations", EstimationView, EstimationInput)
list_estimations = Operation("GET /estimations", EstimationList)
get_estimation = Operation("GET /estimations/{estimation_id}", EstimationView)
follow_estimation = Operation("GET /estimations/{estimation_id}/events", EventView)
cancel_estimation = Operation("POST /estimations/{estimation_id}:cancel", EstimationView)
update_estimation = SendingTo("PATCH /estimations/{estimation_id}", EstimationView, RunPatch)
make_estimation_current = SendingTo("POST /estimations/{estimation_id}:make-current", EstimationView, CurrentRunInput)
list_estimated_sources = Operation("GET /estimations/{estimation_id}/sources", RunSourceList)
list_schedules = Operation("GET /schedules", ScheduleList)
create_schedule = Sending("POST /schedules", ScheduleView, ScheduleInput)
update_schedule = SendingTo("PATCH /schedules/{schedule_id}", ScheduleView, SchedulePatch)
delete_schedule = Operation("DELETE /schedules/{schedule_id}", Nothing)
_COMPARE = Operation("GET /estimations/{estimation_id}/difference", RunDifference)


def start_estimation(
    parameters: EstimationParameters | None = None, *, corpus: str | None = None
) -> Call[EstimationView]:
    """Estimate all reliabilities; follow it with `follow_estimation`."""
    body = EstimationInput(parameters=parameters) if parameters is not None else EstimationInput()
    return _START(body, corpus=corpus)


def compare_estimations(before: UUID, after: UUID, *, corpus: str | None = None) -> Call[RunDifference]:
    """Compare two estimations."""
    return _COMPARE(after, corpus=corpus, **{"from": before})
