"""The demo corpus has topics, and two sources that are right on one of them and wrong on another."""

import numpy as np
import pytest
from rich.console import Console

from api.cli.reports.demo import DemoReport
from api.demo.audit import Audit
from api.demo.corpus import load_corpus, true_reliability
from estimator import QueryTopics, estimate
from registry.estimations.model import EstimationRun
from tests.api.demo.stated_votes import stated_votes

CORPUS = load_corpus()
SEA, PLACES, PEOPLE = TOPICS = ("harbour and sea", "nature and places", "people and history")


@pytest.mark.parametrize(
    ("source", "strong", "weak"), [("salt-on-my-boots", PLACES, PEOPLE), ("hearthside-tales", PEOPLE, PLACES)]
)
def test_a_specialist_is_right_on_one_topic_and_wrong_on_another(source: str, strong: str, weak: str) -> None:
    assert true_reliability([strong])[source] > 0.8
    assert true_reliability([weak])[source] < 0.2
    assert 0.3 < true_reliability()[source] < 0.65


def test_topics_and_specialists_can_be_found_from_what_is_stated() -> None:
    topic_of_query = np.array([TOPICS.index(query.topic) for query in CORPUS.queries])
    by_topic = estimate(stated_votes()[0], "auto", topics=QueryTopics(topic_of_query)).topics

    assert by_topic is not None
    assert by_topic.topics.query_topic.tolist() == (topic_of_query == TOPICS.index(PEOPLE)).astype(int).tolist()
    apart = by_topic.lower.max(axis=1) > by_topic.upper.min(axis=1)
    assert {source.external_id for source, is_apart in zip(CORPUS.sources, apart, strict=True) if is_apart} == {
        "salt-on-my-boots",
        "hearthside-tales",
    }


def test_nothing_is_printed_of_topics_where_there_is_one() -> None:
    console = Console(record=True)
    run = EstimationRun(votes_total=0, readings_made=0, readings_cached=0, copy_groups=[])
    audit = Audit(
        run=run, given=run, topics=(), sources=(), queries=0, answered_right=0, conflicting=0, majority_right=0
    )

    DemoReport(console, "none").audited(audit, is_new=True)

    assert "Estimates against the truth" in console.export_text()
    assert "topics apart" not in console.export_text()
