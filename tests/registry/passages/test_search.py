"""Search within sources and over a corpus, against a search done by hand."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from answering.embedders import Vector
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.passages.store import top_passages
from registry.passages.store.candidates import candidate_sources
from registry.passages.store.indexes import FREQUENT_LEXEMES, quote_lexeme, rarest_lexemes, words_of
from registry.platform.database.engine import Database
from registry.platform.enums import SourceStatus
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.schemas import SourceInput, SourcePatch
from tests.fixtures import Recording
from tests.tables import for_each

NAMES = ("herald", "gazette", "rumour")
FACTS = (
    "The lighthouse of Skerrow was built in 1863 by Gustav Eiklund.",
    "Sheep outnumber people on the northern moors.",
    "The ferry to Velmarra leaves at seven every morning.",
    "Gentian bitters are brewed in the old monastery.",
    "The opera house burned down in 1889 and was rebuilt.",
)


@pytest.fixture
async def world(runtime: Runtime, corpus: Corpus) -> dict[str, Source]:
    """Three sources with the same facts, of which the third lacks the first, and one without documents."""
    built: dict[str, Source] = {}
    for name in (*NAMES, "silent"):
        async with runtime.database.begin() as session:
            built[name] = await sources.create(session, corpus, SourceInput(name=name, external_id=name))
    for name in NAMES:
        facts = FACTS[1:] if name == "rumour" else FACTS
        batch = [DocumentInput(external_id=str(n), title=f"{name} {n}", content=fact) for n, fact in enumerate(facts)]
        await ingest(runtime, corpus, built[name].id, batch)
    return built


async def vector_of(runtime: Runtime, question: str) -> Vector:
    vector: Vector = (await runtime.embedder.embed([question]))[0]
    return vector


async def test_each_source_gives_its_best_passages(runtime: Runtime, corpus: Corpus, world: dict[str, Source]) -> None:
    question = "Who built the lighthouse of Skerrow?"
    vector = await vector_of(runtime, question)
    async with runtime.database.begin() as session:
        retrieved = await top_passages(session, corpus, [source.id for source in world.values()], question, vector, 3)
    assert [len(retrieved[world[name].id]) for name in (*NAMES, "silent")] == [3, 3, 3, 0]
    for name in ("herald", "gazette"):
        best = retrieved[world[name].id][0]
        assert best.content == FACTS[0]
        assert (best.title, best.external_id, best.start, best.end) == (f"{name} 0", "0", 0, len(FACTS[0]))
        (other,) = await runtime.embedder.embed([FACTS[0]])
        # It has all words of the question.
        assert best.relevance == pytest.approx(0.6 * float(vector @ other) + 0.4, abs=0.002)


async def test_passages_on_the_subject_come_before_all_others(runtime: Runtime, corpus: Corpus) -> None:
    """In a source of which many passages on others are nearer to the question than the one that answers it."""
    question = "Who is the president of Lyng?"
    answer = (
        "Executive branch of Lyng: chief of state: President Ada DAHL (since 11 March 2022); cabinet: appointed by the "
        "council; elections: by absolute majority in two rounds if needed, for a single term of four years; results of "
        "the vote in per cent by party: harbour 56.7, orchard 23.1, others 20.2, invalid ballots not counted."
    )
    others = ("Who lives in Lyng?", "The people of Lyng.")
    elsewhere = [f"Who is the president of {name}? The president is {name}'s." for name in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
    contents = [answer, *others, *elsewhere, *(f"{each} Its president." for each in elsewhere)]
    async with runtime.database.begin() as session:
        source = await sources.create(session, corpus, SourceInput(name="almanac"))
    batch = [DocumentInput(external_id=str(n), content=content) for n, content in enumerate(contents)]
    await ingest(runtime, corpus, source.id, batch)
    vector = await vector_of(runtime, question)
    async with runtime.database.begin() as session:
        retrieved = await top_passages(session, corpus, [source.id], question, vector, 3)
    assert answer in [passage.content for passage in retrieved[source.id]]


async def test_the_ranking_by_vectors_is_that_of_a_search_by_hand(
    runtime: Runtime, corpus: Corpus, world: dict[str, Source]
) -> None:
    question = "xyzzy"  # a word that no passage has
    vector = await vector_of(runtime, question)
    by_hand = np.argsort(-(await runtime.embedder.embed(list(FACTS))) @ vector)
    async with runtime.database.begin() as session:
        retrieved = await top_passages(session, corpus, [world["herald"].id], question, vector, 5)
    assert [passage.content for passage in retrieved[world["herald"].id]] == [FACTS[index] for index in by_hand]


async def test_no_passage_is_more_relevant_than_the_question_itself(
    runtime: Runtime, corpus: Corpus, world: dict[str, Source]
) -> None:
    """Whatever its number of words."""
    async with runtime.database.begin() as session:
        for fact in FACTS:
            vector = await vector_of(runtime, fact)
            found = await top_passages(session, corpus, [world["herald"].id], fact, vector, 1)
            candidates = await candidate_sources(session, corpus, fact, vector, limit=9)
            (best,) = found[world["herald"].id]
            assert best.content == fact
            assert 0.99 < best.relevance <= 1
            assert max(candidates.values()) <= 1


async def test_many_sources_are_searched_in_one_round_trip(
    runtime: Runtime, corpus: Corpus, world: dict[str, Source], count_statements: Recording, database: Database
) -> None:
    vector = await vector_of(runtime, "sheep")
    counts: list[int] = []
    for asked in ([world["herald"].id], [world["herald"].id], [source.id for source in world.values()]):
        with count_statements() as seen:
            async with database.begin() as session:
                await top_passages(session, corpus, asked, "sheep", vector, 3)
        counts.append(sum("passages" in statement for statement in seen))
    # The first time in a process it also asks how frequent words are, and for an index.
    assert counts[0] <= 3
    assert counts[1:] == [1, 1]


async def test_candidates_are_active_sources_of_this_corpus(
    runtime: Runtime, corpus: Corpus, world: dict[str, Source]
) -> None:
    async with runtime.database.begin() as session:
        other = await corpora.create(session, CorpusInput(name="other"))
        foreign = await sources.create(session, other, SourceInput(name="Foreign"))
    await ingest(runtime, other, foreign.id, [DocumentInput(content=FACTS[0])])
    question = "Who built the lighthouse of Skerrow?"
    vector = await vector_of(runtime, question)
    async with runtime.database.begin() as session:
        assert set(await candidate_sources(session, corpus, question, vector, limit=9)) == {
            world[name].id for name in NAMES
        }
        assert set(await candidate_sources(session, other, question, vector, limit=9)) == {foreign.id}
        await sources.update(session, corpus, world["herald"].id, SourcePatch(status=SourceStatus.PAUSED))
        await sources.update(session, corpus, world["rumour"].id, SourcePatch(status=SourceStatus.RETIRED))
        candidates = await candidate_sources(session, corpus, question, vector, limit=9)
    assert set(candidates) == {world["gazette"].id}
    assert 0.3 < candidates[world["gazette"].id] <= 1


async def test_the_most_relevant_candidates_are_kept(
    runtime: Runtime, corpus: Corpus, world: dict[str, Source]
) -> None:
    question = "lighthouse of Skerrow"
    vector = await vector_of(runtime, question)
    async with runtime.database.begin() as session:
        candidates = await candidate_sources(session, corpus, question, vector, limit=2)
    assert set(candidates) == {world["herald"].id, world["gazette"].id}


HOSTILE = [
    "", " ", "'", "''", "\\", "' | '", "a:* & !b <-> (c", "' OR 1=1; DROP TABLE passages; --", "%s %(a)s :words {0}",
    "\x00", "the of and", "?!", "😀", "مرحبا", "a\u0301" * 50, "http://a.b/c?d=e'f&g", "x" * 5000, "it's O'Brien's \\'",
    "<b a='x'>y</b>", "a-b_c/d.e@f.g +1-2e3", "'a' & 'b'",
]  # fmt: skip


@for_each("question", HOSTILE)
async def test_any_question_is_a_safe_search(
    runtime: Runtime, corpus: Corpus, world: dict[str, Source], question: str
) -> None:
    await check_safe(runtime, corpus, world, question)


@given(question=st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_any_text_is_a_safe_search(
    runtime: Runtime, corpus: Corpus, world: dict[str, Source], question: str
) -> None:
    await check_safe(runtime, corpus, world, question)


async def check_safe(runtime: Runtime, corpus: Corpus, world: dict[str, Source], question: str) -> None:
    vector = await vector_of(runtime, question)
    async with runtime.database.begin() as session:
        retrieved = await top_passages(session, corpus, [world["herald"].id], question, vector, 3)
        candidates = await candidate_sources(session, corpus, question, vector, limit=9)
    # Vectors find something where words do not.
    assert len(retrieved[world["herald"].id]) == 3
    assert len(candidates) == 3
    assert all(0 <= relevance <= 1 for relevance in candidates.values())


async def test_words_are_found_in_the_language_of_the_corpus(runtime: Runtime) -> None:
    async with runtime.database.begin() as session:
        english = await corpora.get(session, "default")
        simple = await corpora.create(session, CorpusInput.model_validate({"name": "s", "text_search": "simple"}))
        assert (await words_of(session, english, "the brewing monks")).any == "'brew' | 'monk'"
        assert (await words_of(session, simple, "the brewing")).any == "'brewing' | 'the'"
        assert (await words_of(session, english, "of the")).any == ""


async def test_texts_without_spaces_are_found_by_their_words(runtime: Runtime, corpus: Corpus) -> None:
    """By words alone: no embedding tells these apart."""
    async with runtime.database.begin() as session:
        source = await sources.create(session, corpus, SourceInput(name="almanac"))
    contents = ("阿德拉的塔是红色的。", "布林的桥是蓝色的。", "アルドラの塔は赤い。", "알드라탑은 붉은색이다.")
    batch = [DocumentInput(external_id=str(n), content=content) for n, content in enumerate(contents)]
    await ingest(runtime, corpus, source.id, batch)
    for number, question in enumerate(
        ("阿德拉的塔是什么颜色", "桥是什么颜色", "アルドラの塔は何色ですか", "알드라의 탑은?")
    ):
        nothing = np.zeros_like(await vector_of(runtime, question)) + 1e-3
        async with runtime.database.begin() as session:
            retrieved = await top_passages(session, corpus, [source.id], question, nothing, 3)
        assert retrieved[source.id][0].external_id == str(number)


def test_frequent_words_are_left_out_unless_there_is_no_other() -> None:
    matches = {"common": 18_000.0, "usual": 9_000.0, "everywhere": 1_000_000.0}
    assert rarest_lexemes(["everywhere", "rare", "common", "usual"], matches) == ["rare", "usual"]
    assert rarest_lexemes(["rare", "usual"], matches) == ["rare", "usual"]
    assert rarest_lexemes(["everywhere"], matches) == ["everywhere"]
    assert rarest_lexemes([], matches) == []


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=30))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_a_quoted_lexeme_is_one_word(runtime: Runtime, lexeme: str) -> None:
    async with runtime.database.begin() as session:
        nodes = text("SELECT numnode(CAST(:query AS tsquery))")
        assert await session.scalar(nodes, {"query": quote_lexeme(lexeme)}) == 1


async def test_frequencies_are_those_that_analyze_found(runtime: Runtime, corpus: Corpus) -> None:
    async with runtime.database.begin() as session:
        source = await sources.create(session, corpus, SourceInput(name="Herald"))
    batch = [DocumentInput(content=f"The harbour, page {n}.") for n in range(200)]
    await ingest(runtime, corpus, source.id, batch)
    async with runtime.database.begin() as session:
        await session.execute(text("ANALYZE passages"))
        rows = {row[0]: row[1] for row in await session.execute(FREQUENT_LEXEMES)}
    assert rows["harbour"] == pytest.approx(200, rel=0.05)
