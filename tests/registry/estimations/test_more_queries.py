"""What more queries would bring: intervals narrow with the information of votes, and never beyond it."""

from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator import VoteMatrix, estimate
from registry.corpora.model import Corpus
from registry.estimations import service as estimation
from registry.estimations.model import EstimationRun
from registry.estimations.more_queries import EstimatedSource, more_queries, narrowing, of_sources
from registry.estimations.schemas import EstimationParameters
from registry.platform.enums import QueryOrigin, Trigger
from registry.query_generations.store import add
from registry.runtime import Runtime
from tests.registry.world import TOWERS, build, honest

SHARES = st.floats(0.01, 1.0)


@given(st.floats(0, 200), st.integers(0, 1000), st.floats(0, 1000), st.floats(0, 1000))
def test_more_votes_never_widen_an_interval_and_a_strong_prior_leaves_them_less_to_tell(
    strength: float, votes: int, fewer: float, further: float
) -> None:
    some = narrowing(strength, votes, fewer)
    assert narrowing(strength, votes, fewer + further) <= some <= 1
    assert some >= narrowing(0.0, votes, fewer)
    assert narrowing(strength, votes, 0) == 1


@given(SHARES, SHARES, SHARES, SHARES)
def test_what_a_reader_may_misread_stays_in_the_interval(low: float, at: float, high: float, confidence: float) -> None:
    """`low` and `high` are the distances of the ends from the reliability `at`, as shares of what there is."""
    read, upper = at * (1 - low), at + (1 - at) * high
    source = (UUID(int=1), "s1", at, read * confidence, upper, 4)
    more = of_sources(run_of(8), [source], {UUID(int=1): confidence})
    assert more is not None
    (width,) = more.sources
    least = (1 - confidence) * at
    assert least <= width.expected_if_it_answers + 1e-9
    assert width.expected_if_it_answers < width.expected_width < width.width


def test_what_is_expected_of_twice_the_queries_is_about_what_they_bring() -> None:
    """Estimated from the first half of drawn votes, and from all of them."""
    random = np.random.default_rng(7)
    accuracy = np.linspace(0.5, 0.95, 9)
    right = random.random((200, accuracy.size)) < accuracy
    answers = np.where(right, 0, random.integers(1, 5, right.shape))
    query, source = (part.ravel() for part in np.indices(answers.shape))
    widths = []
    for count in (100, 200):
        taken = query < count
        votes = VoteMatrix.from_triples(
            query[taken],
            source[taken],
            answers.ravel()[taken] + 5 * query[taken],
            query_count=count,
            source_count=accuracy.size,
        )
        result = estimate(votes, "one_coin")
        widths.append(float(np.mean(result.upper - result.lower)))
    assert widths[0] * narrowing(0.0, 100, 100) == pytest.approx(widths[1], rel=0.15)


def run_of(queries: int, prior: tuple[float, float] | None = (0.3, 0.9)) -> EstimationRun:
    lower, upper = prior or (None, None)
    return EstimationRun(queries_total=queries, prior=0.6, prior_lower=lower, prior_upper=upper)


def source_of(number: int, votes: int, width: float) -> EstimatedSource:
    return UUID(int=number), f"s{number}", 0.9 - width / 2, 0.9 - width, 0.9, votes


def test_the_least_known_sources_come_first_and_those_without_votes_do_not_count() -> None:
    more = of_sources(run_of(40), [source_of(1, 40, 0.1), source_of(2, 4, 0.4), source_of(3, 0, 0.6)], {})
    assert more is not None
    assert [source.source_name for source in more.sources] == ["s2", "s1"]
    assert more.width == pytest.approx(0.25)
    known, unknown = more.sources[1], more.sources[0]
    assert known.expected_width == known.expected_if_it_answers
    assert unknown.expected_if_it_answers < unknown.expected_width < unknown.width
    assert of_sources(run_of(40), [source_of(3, 0, 0.6)], {}) is None


async def test_a_run_asks_only_the_queries_of_the_origin_that_is_named(reading: Runtime, corpus: Corpus) -> None:
    await build(reading, corpus, {"herald": honest(), "post": honest()}, TOWERS)
    for origin, asked in ((QueryOrigin.GIVEN, len(TOWERS)), (QueryOrigin.GENERATED, 0)):
        run = await estimation.start(reading, corpus, EstimationParameters(origin=origin), Trigger.HTTP)
        await estimation.run(reading, run.id)
        async with reading.database.begin() as session:
            ended = await session.get_one(EstimationRun, run.id)
        assert (ended.queries_total, ended.problem is None) == (asked, asked > 0)


async def test_suggestions_about_the_sources_of_which_least_is_known_come_first(
    reading: Runtime, corpus: Corpus
) -> None:
    sources = await build(reading, corpus, {"herald": honest(), "post": {"Aldra": "red"}, "echo": honest()}, TOWERS)
    run = await estimation.start(reading, corpus, EstimationParameters(), Trigger.HTTP)
    await estimation.run(reading, run.id)
    async with reading.database.begin() as session:
        for name in ("herald", "post"):
            origin = {"source_id": str(sources[name].id)}
            await add(session, corpus, f"Who owns {name}?", QueryOrigin.GENERATED, origin, active=False)
        await add(session, corpus, "Who owns echo?", QueryOrigin.GENERATED, {}, active=True)
        more = await more_queries(session, await session.get_one(EstimationRun, run.id))
    assert more is not None
    assert more.suggestions == ("Who owns post?", "Who owns herald?")
    assert more.expected_width < more.width
