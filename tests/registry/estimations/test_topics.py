"""Sources that are good on one topic and bad on another, from queries and documents to the answers of questions."""

import pytest
from sqlalchemy import func, select

from answering.questions.typical_words import typical_words
from registry.corpora.model import Corpus
from registry.estimations.findings import topic_label
from registry.estimations.model import EstimationRun, RunCentroid, RunQuery
from registry.estimations.schemas import Topic
from registry.evaluations.service import evaluate
from registry.queries import store as queries
from registry.queries.schemas import QueryInput
from registry.runtime import Runtime
from registry.sources import reliabilities
from registry.sources import store as sources
from registry.sources.reliabilities import Reliabilities
from registry.sources.schemas import OverrideInput
from tests.registry.answers.asking import asked
from tests.registry.estimated import estimate_experts, finished
from tests.registry.world import (
    EXPERT_TOWERS,
    EXPERTS,
    MOUNTAINS,
    SEA,
    ask_experts,
    publish_experts,
    question,
)
from tests.remembered import Remember
from tests.tables import for_each


@pytest.fixture
async def experts(reading: Runtime, corpus: Corpus, remember: Remember) -> Runtime:
    """The runtime, where the documents of the experts are."""
    await remember("experts", lambda: publish_experts(reading, corpus))
    return reading


@pytest.fixture
async def estimated(reading: Runtime, corpus: Corpus, remember: Remember) -> Runtime:
    """The runtime, where a run knows the topics of the queries."""
    await estimate_experts(reading, corpus, remember)
    return reading


async def current(runtime: Runtime, corpus: Corpus) -> Reliabilities:
    async with runtime.database.begin() as session:
        return await reliabilities.current_reliabilities(session, corpus)


def topics_of(run: EstimationRun) -> list[Topic]:
    return [Topic.model_validate(topic) for topic in run.topics]


async def test_a_question_is_answered_with_the_reliabilities_of_its_topic(experts: Runtime, corpus: Corpus) -> None:
    await ask_experts(experts, corpus, given=False)
    run = await finished(experts, corpus)
    topics = topics_of(run)
    assert sum(topic.query_count for topic in topics) == len(EXPERT_TOWERS)
    # The queries differ by the names of towers alone.
    words = {word for topic in topics for word in topic.label.split(", ")}
    assert len(words) == 6
    assert words <= {tower.lower() for tower in EXPERT_TOWERS}, [topic.label for topic in topics]
    by_sea, on_mountain = [await asked(experts, corpus, tower, kappa=6) for tower in ("Harbourlight", "Summitkeep")]
    assert (by_sea.answers, on_mountain.answers) == (("cyan",), ("pink",))
    assert by_sea.topic is not None
    assert on_mountain.topic is not None
    assert by_sea.topic.topic != on_mountain.topic.topic
    assert not by_sea.topic.given
    reliable = {source.external_id for source in by_sea.selected_sources if (source.reliability or 0) > 0.6}
    assert reliable == set(EXPERTS[SEA])
    other = topics[1 - by_sea.topic.topic]
    named = await asked(experts, corpus, "Harbourlight", kappa=6, topic=other.label)
    assert named.topic is not None
    assert (named.topic.label, named.topic.given, named.answers) == (other.label, True, ("pink",))


async def test_every_source_has_its_reliability_on_each_topic(estimated: Runtime, corpus: Corpus) -> None:
    run = (await current(estimated, corpus)).run
    assert run is not None
    assert {topic.label: topic.names for topic in topics_of(run)} == {SEA: (SEA,), MOUNTAINS: (MOUNTAINS,)}
    labels = [topic.label for topic in topics_of(run)]
    rows = {source.external_id: source for source in (await current(estimated, corpus)).sources}
    assert len(rows) == 6
    for topic, names in EXPERTS.items():
        for name, source in rows.items():
            estimate = source.topics[labels.index(topic)]
            assert estimate.lower < estimate.reliability < estimate.upper
            assert estimate.vote_count == len(EXPERT_TOWERS) // 2
            assert (estimate.reliability > 0.6) == (name in names)
    async with estimated.database.begin() as session:
        of_queries = dict((await session.execute(select(RunQuery.query_text, RunQuery.topic))).all())
        centroids = await session.scalar(select(func.count()).select_from(RunCentroid))
    assert of_queries == {question(tower): labels.index(topic) for tower, topic in EXPERT_TOWERS.items()}
    assert centroids == 2


async def test_the_topic_of_a_question_may_be_given(estimated: Runtime, corpus: Corpus) -> None:
    named = await asked(estimated, corpus, "Harbourlight", kappa=6, topic=" Mountains")
    assert named.topic is not None
    assert (named.topic.label, named.topic.given) == (MOUNTAINS, True)
    assert named.answers == ("pink",)
    unknown = await asked(estimated, corpus, "Harbourlight", kappa=6, topic="cooking")
    assert unknown.topic is not None
    assert (unknown.topic.label, unknown.topic.given) == (SEA, False)


async def test_reliabilities_on_all_topics_count_where_the_topic_is_unsure(estimated: Runtime, corpus: Corpus) -> None:
    overall = {source.source_id: source.reliability for source in (await current(estimated, corpus)).sources}
    async with estimated.database.begin() as session:
        first, second = (await session.scalars(select(RunCentroid).order_by(RunCentroid.number))).all()
        second.embedding = first.embedding
    unsure = await asked(estimated, corpus, "Harbourlight", kappa=6)
    assert unsure.topic is not None
    assert not unsure.topic.used
    assert max(unsure.topic.probabilities) == pytest.approx(0.5)
    assert {source.source_id: source.reliability for source in unsure.selected_sources} == overall
    assert {source.overall_reliability for source in unsure.selected_sources} == {None}
    named = await asked(estimated, corpus, "Harbourlight", kappa=6, topic=SEA)
    assert named.topic is not None
    assert named.topic.used
    assert named.answers == ("cyan",)


async def test_an_override_counts_on_every_topic(estimated: Runtime, corpus: Corpus) -> None:
    anchor = (await current(estimated, corpus)).sources[0]
    async with estimated.database.begin() as session:
        override = OverrideInput(reliability=0.42, reason="Known")
        await sources.set_override(session, corpus, anchor.source_id, override, "ops")
    result = await asked(estimated, corpus, "Harbourlight", kappa=6)
    set_by_hand = [source for source in result.selected_sources if source.overridden]
    assert {(source.reliability, source.overall_reliability) for source in set_by_hand} == {(0.42, None)}


async def test_a_cluster_without_direction_does_not_hide_the_others(estimated: Runtime, corpus: Corpus) -> None:
    """A vector of length 0 has no cosine, which Postgres returns as NaN."""
    async with estimated.database.begin() as session:
        mountains = select(RunCentroid).order_by(RunCentroid.number.desc()).limit(1)
        centroid = (await session.scalars(mountains)).one()
        centroid.embedding = [0.0] * estimated.embedder.dimension
    result = await asked(estimated, corpus, "Harbourlight")
    assert result.topic is not None
    assert sum(result.topic.probabilities) == pytest.approx(1)


async def test_an_evaluation_answers_by_topic_as_questions_are_answered(estimated: Runtime, corpus: Corpus) -> None:
    async with estimated.database.begin() as session:
        for tower, colour in (("Harbourlight", "cyan"), ("Summitkeep", "pink")):
            await queries.create(session, corpus, QueryInput(text=question(tower), gold_answers=[colour]))
    right = {method.name: method.accuracy.right for method in (await evaluate(estimated, corpus)).methods}
    # As many say one thing as the other, so that no majority decides.
    assert (right["selected"], right["weighted"], right["majority"]) == (2, 2, 0)


CAPITALS = [f"What is the capital of {country}?" for country in ("Mali", "Oman", "Peru", "Chad", "Cuba", "Fiji")]
AREAS = [f"How large is {country}'s area in square kilometres?" for country in ("Mali", "Oman", "Peru", "Togo")]
PEOPLE = [f"How many people live in {country}?" for country in ("Mali", "Cuba", "Fiji")]


@for_each(
    "topics, words",
    [
        ([CAPITALS, AREAS], [["capital"], ["area", "kilometres", "large"]]),
        ([AREAS, CAPITALS], [["area", "kilometres", "large"], ["capital"]]),
        ([CAPITALS, AREAS, PEOPLE], [["capital"], ["area", "kilometres", "large"], ["live", "many", "people"]]),
        # Words that are as frequent everywhere name no topic, in any language.
        (
            [
                ["Wie hoch ist der Berg Ast?", "Wie hoch ist der Berg Ulm?", "Wie hoch ist der Berg Rot?"],
                ["Wie tief ist der See Ast?", "Wie tief ist der See Ulm?", "Wie tief ist der See Rot?"],
            ],
            [["berg", "hoch"], ["see", "tief"]],
        ),
        ([["Where?", "?"], ["Who's?"]], [[], []]),
        ([["Red?"], []], [["red"], []]),
    ],
)
def test_words_set_the_queries_of_a_topic_apart(topics: list[list[str]], words: list[list[str]]) -> None:
    assert typical_words(topics) == words


@for_each(
    "names, words, label",
    [
        (["sea", "harbours", "ships", "gulls"], ["tide"], "sea, harbours, ships"),
        ([], ["area", "kilometres"], "area, kilometres"),
        ([], [], "topic 2"),
    ],
)
def test_given_names_come_before_words(names: list[str], words: list[str], label: str) -> None:
    assert topic_label(names, words, 2) == label
