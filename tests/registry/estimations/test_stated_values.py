"""Votes of stated values: without search and reader, beside those of sources that are read."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from sqlalchemy import select

from answering.readers import Reading
from registry.corpora.model import Corpus
from registry.estimations.model import EstimationRun, RunQuery, Vote
from registry.estimations.schemas import EstimationParameters
from registry.platform.enums import SourceStatus
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.schemas import SourcePatch
from tests.fakes.scripted_reader import ScriptedReader
from tests.registry.estimations.test_service import finished
from tests.registry.stating import CHAD, KENYA, ROWS, documents, sent

NEWS = {"source": "herald", "external_id": "a", "content": "Nairobi is the capital of Kenya."}


class Scripted(ScriptedReader):
    """Says Nairobi to everything, and keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__(lambda _question, _passages: "Nairobi")
        self.asked: list[tuple[str, str]] = []

    async def read(self, question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> Reading:
        self.asked.append((question, passages[0]))
        return await super().read(question, passages, contexts)


@pytest.fixture
def reader() -> Scripted:
    return Scripted()


@pytest.fixture
async def stating(runtime: Runtime, corpus: Corpus, reader: Scripted) -> Runtime:
    """Three tables, of which two state the capital of Chad, and a paper."""
    runtime = replace(runtime, reader=reader)
    await sent(runtime, corpus, *ROWS)
    await documents(runtime, corpus, NEWS)
    return runtime


async def votes(runtime: Runtime, run: EstimationRun) -> dict[tuple[str, str], Vote]:
    """By the text of the query and the source."""
    rows = (
        select(RunQuery.query_text, Source.external_id, Vote)
        .join(Vote, (Vote.query_id == RunQuery.query_id) & (Vote.estimation_id == RunQuery.estimation_id))
        .join(Source, Source.id == Vote.source_id)
        .where(Vote.estimation_id == run.id)
    )
    async with runtime.database.begin() as session:
        return {(query, source): vote for query, source, vote in await session.execute(rows)}


async def test_what_is_stated_is_voted_for_and_the_rest_is_read(
    stating: Runtime, corpus: Corpus, reader: Scripted
) -> None:
    run = await finished(stating, corpus)
    by_source = await votes(stating, run)
    answers = {key: (vote.answer, vote.answer_key is not None, vote.stated) for key, vote in by_source.items()}
    assert answers == {
        (KENYA, "atlas"): ("Nairobi", True, True),
        (KENYA, "almanac"): ("nairobi", True, True),
        (KENYA, "gazetteer"): ("Mombasa", True, True),
        (KENYA, "herald"): ("Nairobi", True, False),
        (CHAD, "atlas"): ("N'Djamena", True, True),
        (CHAD, "almanac"): ("Abéché", True, True),
        # The last ones state nothing of Chad: what the reader makes of what they say of others.
        (CHAD, "gazetteer"): ("Nairobi", False, False),
        (CHAD, "herald"): ("Nairobi", True, False),
    }
    assert sorted(reader.asked) == sorted(
        [
            (KENYA, NEWS["content"]),
            (CHAD, NEWS["content"]),
            (CHAD, "Togo; capital: Lomé"),
        ]
    )
    assert (run.readings_made, run.votes_total, run.queries_total) == (3, 7, 2)
    vote = by_source[KENYA, "atlas"]
    assert (vote.confidence, vote.alignment, len(vote.document_ids)) == (1.0, None, 1)


async def test_votes_follow_what_documents_state(stating: Runtime, corpus: Corpus, reader: Scripted) -> None:
    await finished(stating, corpus)
    before = len(reader.asked)
    again = await finished(stating, corpus)
    assert (again.readings_made, again.votes_total, len(reader.asked)) == (0, 7, before)
    assert (await votes(stating, again))[KENYA, "atlas"].stated
    await sent(stating, corpus, {"source": "gazetteer", "country": "Kenya", "capital": "Nairobi"})
    changed = await votes(stating, await finished(stating, corpus))
    assert changed[KENYA, "gazetteer"].answer == "Nairobi"
    assert changed[KENYA, "atlas"].answer == "Nairobi"
    # Of a source that states several values its newest document counts.
    newer = {"source": "gazetteer", "external_id": "2027", "country": "Kenya", "capital": "Konza"}
    await sent(stating, corpus, newer | {"published_at": "2027-01-01"})
    assert (await votes(stating, await finished(stating, corpus)))[KENYA, "gazetteer"].answer == "Konza"


async def test_a_query_that_only_one_source_states_by_now_is_left_out(stating: Runtime, corpus: Corpus) -> None:
    async with stating.database.begin() as session:
        almanac = await sources.find(session, corpus, "almanac")
        await sources.update(session, corpus, almanac.id, SourcePatch(status=SourceStatus.PAUSED))
    run = await finished(stating, corpus)
    assert {query for query, _ in await votes(stating, run)} == {KENYA}
    assert run.queries_total == 1


async def test_a_value_that_says_nothing_is_an_abstention(runtime: Runtime, corpus: Corpus, reader: Scripted) -> None:
    runtime = replace(runtime, reader=reader)
    values = {"atlas": "Nairobi", "almanac": "unknown"}
    lines = [
        {
            "source": name,
            "content": "A text.",
            "stated_values": [{"subject": "Kenya", "relation": "capital", "value": value}],
        }
        for name, value in values.items()
    ]
    await documents(runtime, corpus, *lines)
    by_source = await votes(runtime, await finished(runtime, corpus))
    assert {source: (vote.status, vote.answer_key) for (_, source), vote in by_source.items()} == {
        "atlas": ("answered", "text:nairobi"),
        "almanac": ("abstained", None),
    }
    assert reader.asked == []


async def test_sources_that_state_a_value_need_not_be_candidates(stating: Runtime, corpus: Corpus) -> None:
    run = await finished(stating, corpus, EstimationParameters(candidates_only=True))
    by_source = await votes(stating, run)
    assert {source for (query, source), vote in by_source.items() if query == KENYA and vote.stated} == {
        "atlas",
        "almanac",
        "gazetteer",
    }
