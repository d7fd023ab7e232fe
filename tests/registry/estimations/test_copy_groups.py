"""Sources that copy, from their documents to the answers they do not win: found, told, and counted once."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import log
from uuid import uuid4

import pytest
from sqlalchemy import select

from answering.judges import Label
from registry.answers.schemas import KappaCounts
from registry.conflict_scores import service as conflict_scores
from registry.conflict_scores.schemas import ConflictInput
from registry.corpora.model import Corpus
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import EstimationParameters
from registry.platform.enums import RunStatus
from registry.queries import store as queries
from registry.queries.schemas import QueryInput
from registry.runtime import Runtime
from registry.sources import reliabilities
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.reliabilities import Reliabilities, SourceReliability
from registry.sources.schemas import CopyGroup, SourceInput
from registry.sources.store import estimates
from tests.fakes.scripted_chat import ScriptedChat
from tests.fakes.scripted_judge import ScriptedJudge
from tests.fakes.scripted_reader import ScriptedReader
from tests.registry.answers.asking import asked, rated
from tests.registry.conflict_scores.judges import judged_by
from tests.registry.estimated import finished
from tests.registry.world import question
from tests.remembered import Remember
from tests.tables import for_each

TOWERS = tuple(
    head + tail for head in ("Al", "Bren", "Cor", "Del", "Es", "Far") for tail in ("dra", "vik", "mund", "stead")
)
RIGHT = {tower: f"true{number}" for number, tower in enumerate(TOWERS)}
WRONG = {tower: f"false{number}" if number % 4 else RIGHT[tower] for number, tower in enumerate(TOWERS)}
ASKED = "Zenith"
FIRST = datetime(2026, 3, 1, tzinfo=UTC)
SEPARATE_RUNS = True


async def publish(
    runtime: Runtime, corpus: Corpus, name: str, stated: dict[str, str], after: timedelta | None
) -> Source:
    """A source with a document for each tower."""
    async with runtime.database.begin() as session:
        source = await sources.create(session, corpus, SourceInput(external_id=name, name=name.title()))
    documents = [
        DocumentInput(
            external_id=tower,
            title=tower,
            content=f"By {name}. The tower of {tower} is painted {colour}.",
            published_at=None if after is None else FIRST + after,
        )
        for tower, colour in stated.items()
    ]
    await ingest(runtime, corpus, source.id, documents)
    return source


@pytest.fixture
async def copied(reading: Runtime, corpus: Corpus, remember: Remember) -> dict[str, Source]:
    """Four that look for themselves and err apart, and one that errs and is copied by two, days later; and a run."""

    async def build() -> None:
        await publish_copies(reading, corpus)
        await finished(reading, corpus)

    await remember("estimated copies", build)
    async with reading.database.begin() as session:
        return {source.external_id: source for source in await session.scalars(select(Source))}


async def current_run(runtime: Runtime, corpus: Corpus) -> EstimationRun:
    async with runtime.database.begin() as session:
        run = await estimates.current_run(session, corpus)
    assert run is not None
    return run


async def publish_copies(runtime: Runtime, corpus: Corpus) -> None:
    for index, name in enumerate(("herald", "gazette", "times", "post")):
        own = {tower: f"odd{index}x{number}" for number, tower in enumerate(TOWERS[index::6])}
        await publish(runtime, corpus, name, RIGHT | own | {ASKED: "blue"}, None)
    for days, name in enumerate(("rumour", "gossip", "hearsay")):
        await publish(runtime, corpus, name, WRONG | {ASKED: "pink"}, timedelta(days=days))
    async with runtime.database.begin() as session:
        for tower in TOWERS:
            await queries.create(session, corpus, QueryInput(external_id=tower, text=question(tower)))


async def test_a_run_says_who_is_one_voice_and_who_was_first(
    reading: Runtime, corpus: Corpus, copied: dict[str, Source]
) -> None:
    run = await current_run(reading, corpus)
    assert (run.status, run.method) == (RunStatus.SUCCEEDED, "one_coin")
    assert "3 sources that copy each other count as 1 source" in (run.reason or "")
    copy_group = CopyGroup.model_validate(run.copy_groups[0])
    assert copy_group.source_names == ("Rumour", "Gossip", "Hearsay")
    assert copy_group.original_id == copied["rumour"].id
    assert copy_group.log_odds > 3
    assert copy_group.shared_wrong > 3 * copy_group.expected
    async with reading.database.begin() as session:
        rows = {row.source_name: row for row in await estimations.sources_of(session, run)}
        asked = (await estimations.queries_of(session, run, cursor=None, limit=50)).items
    assert {name for name, row in rows.items() if row.copy_group == 0} == {"Rumour", "Gossip", "Hearsay"}
    assert {row.copy_group for row in rows.values()} == {0, None}
    assert all((row.lower or 0) < row.reliability < (row.upper or 0) for row in rows.values())
    assert rows["Herald"].reliability > 0.7
    assert rows["Gossip"].reliability < 0.4
    right = {tower: RIGHT[tower] for tower in TOWERS}
    assert {row.query_text: row.answer for row in asked} == {question(tower): answer for tower, answer in right.items()}


@pytest.mark.usefixtures("copied")
async def test_copiers_share_one_vote(reading: Runtime, corpus: Corpus) -> None:
    run = await finished(reading, corpus, EstimationParameters(topics="none"))
    result = await asked(reading, corpus, ASKED, kappa=7)
    assert (run.topics, result.topic) == ([], None)
    tally = {line.answer: (line.votes, line.independent_votes) for line in result.tally}
    assert result.answers == ("blue",)
    assert tally == {"blue": (4, 4), "pink": (3, 1)}
    pink = [source for source in result.selected_sources if source.answer == "pink"]
    assert {source.copy_group for source in pink} == {0}
    # One of the three is quoted.
    assert [citation.answer for citation in result.dissent_citations] == ["pink"]
    async with reading.database.begin() as session:
        current = await reliabilities.current_reliabilities(session, corpus)
    weights = current.electorate()
    alone = {source.external_id: weights.weight(source.source_id) for source in pink}
    assert {source.external_id: source.weight for source in pink} == {
        name: pytest.approx(weight / 3) for name, weight in alone.items()
    }


@pytest.mark.usefixtures("copied")
async def test_kappa_may_count_copy_groups(reading: Runtime, corpus: Corpus) -> None:
    """Three that copy come last: two of them fill six places, or all three the fifth."""
    for counts, selected in ((KappaCounts.SOURCES, 6), (KappaCounts.COPY_GROUPS, 7)):
        result = await asked(reading, corpus, ASKED, kappa=6, kappa_counts=counts)
        assert len(result.selected_sources) == selected
        assert sum(line.independent_votes for line in result.tally) == 5


@pytest.mark.usefixtures("copied")
async def test_a_source_that_came_after_the_first_run_is_new_until_it_has_three_votes(
    reading: Runtime, corpus: Corpus
) -> None:
    late = {
        name: await publish(reading, corpus, name, {tower: RIGHT[tower] for tower in TOWERS[:votes]}, None)
        for name, votes in (("two votes", 2), ("three votes", 3))
    }
    run = await finished(reading, corpus, EstimationParameters(topics="none"))
    async with reading.database.begin() as session:
        current = await reliabilities.current_reliabilities(session, corpus)
    weights = current.electorate()
    names = {source.source_id: source.external_id for source in current.sources}
    assert [names[source_id] for source_id in names if weights.is_new(source_id)] == ["two votes"]
    assert weights.reliability(late["two votes"].id) == run.prior_lower
    assert weights.reliability(late["three votes"].id) > weights.prior


@pytest.mark.usefixtures("copied")
async def test_copies_take_part_once_and_are_named_where_one_stands(reading: Runtime, corpus: Corpus) -> None:
    await rated(reading, corpus, dict.fromkeys(("rumour", "gossip", "hearsay"), 0.8))
    judge = ScriptedJudge(lambda pair: Label.SUPPORTS if "blue" in pair.passage else Label.CONTRADICTS)
    judging = judged_by(reading, judge)
    answered = (await asked(judging, corpus, ASKED, kappa=7)).conflict_score
    response = ConflictInput(response="blue", question=question(ASKED))
    for score in (answered, (await conflict_scores.score(judging, corpus, response)).score):
        assert score is not None
        assert score.cs_r == pytest.approx(1 / 5)
        (against,) = score.claims[0].contradicting
        assert {against.source, *against.copies} == {"Rumour", "Gossip", "Hearsay"}
    newcomer = await publish(reading, corpus, "newcomer", {ASKED: "pink"}, None)
    score = (await asked(judging, corpus, ASKED, kappa=8)).conflict_score
    assert score is not None
    counted = {item.source_id: item.reliability for item in score.claims[0].contradicting}
    assert counted[newcomer.id] == (await current_run(reading, corpus)).prior_lower
    blind = ScriptedReader(lambda _question, _passages: None, name="blind")
    debating = replace(reading, reader=blind, chat=ScriptedChat('Answers: ["blue"]'))
    held = (await asked(debating, corpus, ASKED, strategy="concatenated", kappa=7)).debate
    assert held is not None
    copies = {"Rumour", "Gossip", "Hearsay"}
    stand = {document.source: set(document.copies) for document in held.documents if document.source in copies}
    assert [{source, *others} for source, others in stand.items()] == [copies]


def standing(reliability: float | None, lower: float | None, copy_group: int | None = None) -> SourceReliability:
    return SourceReliability(
        source_id=uuid4(),
        external_id="x",
        name="X",
        status="active",
        reliability=reliability,
        estimated=reliability,
        lower=lower,
        upper=None,
        weight=None,
        vote_count=0 if reliability is None else 9,
        copy_group=copy_group,
        override=None,
    )


def test_the_ranking_may_be_by_the_lower_bound() -> None:
    """One looks better, of the other more is known, and of the third nothing."""
    lucky, steady, new = standing(0.85, 0.5), standing(0.8, 0.75), standing(None, None)
    run = EstimationRun(method="one_coin", labels=10, prior=0.7, prior_lower=0.4)
    weights = Reliabilities(run, (lucky, steady, new)).electorate()

    def order(*, by_lower: bool) -> list[SourceReliability]:
        reliability = {
            source.source_id: weights.candidate(source.source_id, by_lower=by_lower).reliability
            for source in (lucky, steady, new)
        }
        return sorted((lucky, steady, new), key=lambda source: -reliability[source.source_id])

    assert order(by_lower=False) == [lucky, steady, new]
    assert order(by_lower=True) == [steady, lucky, new]
    assert weights.weight(steady.source_id) == pytest.approx(log(4) + log(9))


@for_each(
    ("doubt", "confidence"), [("at_random", 0.7**2 / (0.7**2 + 0.3**2)), ("one_answer", None), ("several_fits", None)]
)
def test_wide_intervals_make_answers_unsure_unless_they_say_only_that_no_order_is_known(
    doubt: str, confidence: float | None
) -> None:
    """Where answers at random explain the votes as well, estimates hold on average."""
    sources = tuple(replace(standing(0.7, 0.05), upper=0.95) for _ in range(2))
    run = EstimationRun(method="one_coin", labels=2, prior=0.7, prior_lower=0.4, doubt=doubt)
    answers = {source.source_id: "yes" for source in sources}
    told = Reliabilities(run, sources).electorate().probabilities(answers)["yes"]
    if confidence is None:
        assert told < 0.75
    else:
        assert told == pytest.approx(confidence)


@pytest.mark.usefixtures("copied")
async def test_an_audit_by_gold_counts_in_no_answer(reading: Runtime, corpus: Corpus) -> None:
    first = await current_run(reading, corpus)
    async with reading.database.begin() as session:
        for tower in TOWERS:
            judged = QueryInput(external_id=tower, text=question(tower), gold_answers=[RIGHT[tower]])
            await queries.create(session, corpus, judged)
    audit = await finished(reading, corpus, EstimationParameters(method="oracle"))
    async with reading.database.begin() as session:
        reliability_of = {row.source_name: row.reliability for row in await estimations.sources_of(session, audit)}
        current = await estimates.current_run(session, corpus)
    assert audit.status == RunStatus.SUCCEEDED
    assert reliability_of["Rumour"] == pytest.approx(6 / 24)
    assert reliability_of["Herald"] == pytest.approx(20 / 24)
    assert current is not None
    assert current.id == first.id


async def test_a_run_goes_on_from_the_last_with_sources_that_came_and_went(
    reading: Runtime, corpus: Corpus, copied: dict[str, Source]
) -> None:
    first = await current_run(reading, corpus)
    assert first.state is not None
    await publish(reading, corpus, "newcomer", RIGHT, None)
    async with reading.database.begin() as session:
        await sources.delete(session, corpus, copied["post"].id)
    second = await finished(reading, corpus)
    async with reading.database.begin() as session:
        reliability_of = {row.source_name: row.reliability for row in await estimations.sources_of(session, second)}
    assert second.status == RunStatus.SUCCEEDED
    assert "Post" not in reliability_of
    assert reliability_of["Newcomer"] > reliability_of["Herald"] > reliability_of["Rumour"]
