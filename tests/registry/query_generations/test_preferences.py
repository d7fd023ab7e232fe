"""Which facts are asked first, by what a run knows of the sources."""

from collections import Counter
from dataclasses import replace
from uuid import UUID

import numpy as np
import pytest

from answering.embedders import Embedder
from registry.corpora.model import Corpus
from registry.estimations import service as estimation
from registry.estimations.schemas import EstimationParameters
from registry.platform.enums import QueryOrigin, Trigger
from registry.queries import store as queries
from registry.query_generations import generation
from registry.query_generations import service as query_generation
from registry.query_generations.agreement import Preferences
from registry.query_generations.known_queries import KnownQueries
from registry.query_generations.schemas import GenerationParameters
from registry.runtime import Runtime
from tests.registry.mills import NAMES, built, mill_reader, publish, publish_mills

FIRST, SECOND, THIRD = (UUID(int=number) for number in range(1, 4))
ALIKE = np.full((2, 4), 0.5, dtype=np.float32)


def test_facts_that_sources_with_wide_intervals_state_come_first() -> None:
    known = Preferences({FIRST: 0.1, SECOND: 0.5})
    near = [{FIRST: 0.9, SECOND: 0.2}, {FIRST: 0.2, SECOND: 0.9}]
    assert known.order(near, ALIKE, None) == [1, 0]
    assert known.order([*near, {THIRD: 0.9}], np.repeat(ALIKE, 2, axis=0)[:3], None) == [2, 1, 0]


def test_facts_that_contradicting_sources_state_come_first() -> None:
    widths = dict.fromkeys((FIRST, SECOND, THIRD), 0.3)
    known = Preferences(widths, {frozenset((FIRST, SECOND)): 0.1, frozenset((FIRST, THIRD)): 0.8})
    assert known.order([{FIRST: 0.9, SECOND: 0.9}, {FIRST: 0.9, THIRD: 0.9}], ALIKE, None) == [1, 0]


def test_facts_unlike_the_queries_there_are_come_first() -> None:
    vectors = np.eye(3, dtype=np.float32)
    centre = np.array([0.7, 0.2, 0.1], dtype=np.float32)
    assert Preferences({}).order([{FIRST: 0.5}] * 3, vectors, centre) == [2, 1, 0]


def test_the_centre_of_queries_is_the_mean_of_their_embeddings() -> None:
    assert KnownQueries(3).centre is None
    known = KnownQueries(3)
    vectors = np.random.default_rng(1).normal(size=(40, 3)).astype(np.float32)
    for number, vector in enumerate(vectors):
        known.add(f"In which year was mill {number} built?", vector, None)
        centre = known.centre
        assert centre is not None
        np.testing.assert_allclose(centre, vectors[: number + 1].mean(axis=0), rtol=1e-4, atol=1e-6)


async def test_a_generation_prefers_by_the_current_run_and_leaves_no_fact_out(runtime: Runtime, corpus: Corpus) -> None:
    """After a run only the best of a choice are tried at once; the others come later, each once."""
    reading = replace(runtime, reader=mill_reader())
    await publish_mills(reading, corpus, "Aldra", "Brin", "Corvo")
    wanted = GenerationParameters(max_agreed=1.0)
    await query_generation.run_now(reading, corpus, wanted)
    async with reading.database.begin() as session:
        assert await query_generation.preferences(session, corpus) is None
    run = await estimation.start(reading, corpus, EstimationParameters(), Trigger.HTTP)
    await estimation.run(reading, run.id)
    heads, tails = ("Al", "Bren", "Cor", "Del", "Esk"), ("vik", "mund", "stead", "ek")
    mills = [f"{head}{tail}" for head in heads for tail in tails]
    stated = {name: [built(mill, 1700 + at) for at, mill in enumerate(mills)] for name in NAMES}
    await publish(reading, corpus, stated)
    async with reading.database.begin() as session:
        known = await query_generation.preferences(session, corpus)
    assert known is not None
    assert len(known.widths) == len(NAMES)
    assert all(share < 0.5 for share in known.contradictions.values())
    assert len(known.contradictions) == len(NAMES)
    done = await query_generation.run_now(reading, corpus, wanted)
    assert len(mills) > generation.BATCH
    assert (done.report["queries"], done.report["documents"]) == (len(mills), len(mills) * len(NAMES))
    async with reading.database.begin() as session:
        page = await queries.page(session, corpus, cursor=None, limit=100, origin=QueryOrigin.GENERATED)
    assert max(Counter(query.text for query in page.items).values()) == 1


CAPITAL = "The capital (city) of Mongolia is ____."


@pytest.mark.parametrize(
    ("known", "answer", "question", "answers", "same"),
    [
        (CAPITAL, "Ulan Bator", "The capital city of Mongolia is called ____.", ["Erdenet", "Ulan Bator"], True),
        (CAPITAL, "Ulan Bator", "The capital city of Mongolia is called ____.", ["Ulan Bator"], True),
        (CAPITAL, "Ulan Bator", "The capital city of Mongolia is called ____.", [], True),
        (CAPITAL, "Ulan Bator", "The capital city of Norway is called ____.", ["Ulan Bator"], False),
        ("Who owns Aldra Mill?", "Anna Dahl", "Who built Aldra Mill?", ["Karl Holm", "Jon Lie"], False),
        ("Who owns Aldra Mill?", None, "Who built Aldra Mill?", ["Karl Holm"], True),
        ("When was Aldra Mill built?", "1874", "In which year was Aldra Mill erected?", ["1874"], True),
    ],
)
async def test_questions_are_one_by_wording_and_what_sources_answer(
    embedder: Embedder, known: str, answer: str | None, question: str, answers: list[str], same: bool
) -> None:
    queries = await KnownQueries.of(embedder, [(known, answer)])
    assert queries.has(question, (await embedder.embed([question]))[0], answers) is same
