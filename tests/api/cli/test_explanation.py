"""Copy groups over all runs."""

from datetime import UTC, datetime
from uuid import uuid4

from api.cli.explanation import copy_groups
from api.http.schemas.estimations import EstimationView
from registry.estimations.model import EstimationRun
from registry.platform.enums import RunStatus


def test_groups_are_counted_over_the_runs_that_succeeded() -> None:
    first, second, third = (uuid4() for _ in range(3))

    def group(*members: object) -> dict[str, object]:
        return {
            "source_ids": [str(member) for member in members],
            "source_names": [f"source {number}" for number, _ in enumerate(members)],
            "original_id": str(members[0]),
            "log_odds": 9.0,
            "shared_wrong": 4.0,
            "expected": 1.0,
            "copied_share": 0.5,
        }

    def run(day: int, status: RunStatus, *copy_groups: dict[str, object]) -> EstimationView:
        created_at = datetime(2026, 5, day, tzinfo=UTC)
        columns = dict.fromkeys(EstimationRun.__mapper__.columns.keys())
        counts = {name: 0 for name in columns if name.endswith("_total") or name.startswith(("queries_", "readings_"))}
        made = (
            columns
            | counts
            | {"id": uuid4(), "number": day, "trigger": "http", "cancel_requested": False, "parameters": {}}
        )
        found = {"method": "one_coin", "gold_queries": 0, "topics": [], "joint_dissents": []}
        found["copy_groups"] = list(copy_groups)
        return EstimationView.of(EstimationRun(**made | found | {"status": status, "created_at": created_at}))

    groups = copy_groups(
        [
            run(1, RunStatus.SUCCEEDED, group(first, second), group(second, third)),
            run(2, RunStatus.FAILED, group(second, third)),
            run(3, RunStatus.SUCCEEDED, group(second, first)),
        ]
    )
    assert [(set(found.source_ids), found.runs, found.of_runs) for found in groups] == [
        ({first, second}, 2, 2),
        ({second, third}, 1, 2),
    ]
    assert groups[0].last_found_at.day == 3
    assert groups[0].original_id == second
