"""The demo corpus has topics, and two sources that are right on one of them and wrong on another."""

from rich.console import Console

from api.cli.reports.demo import print_audit
from api.demo.audit import Audit
from registry.estimations.model import EstimationRun

SEA, PLACES, PEOPLE = TOPICS = ("harbour and sea", "nature and places", "people and history")


def test_nothing_is_printed_of_topics_where_there_is_one() -> None:
    console = Console(record=True)
    run = EstimationRun(votes_total=0, readings_made=0, readings_cached=0, copy_groups=[])
    audit = Audit(run=run, topics=(), sources=(), queries=0, answered_right=0, conflicting=0, majority_right=0)

    print_audit(console, audit, is_new=True)

    assert "Estimates against the truth" in console.export_text()
    assert "topics apart" not in console.export_text()
