"""Answers that were read with little certainty where a search found the passages in many sources."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from answering.readers import Reading
from registry.answers import service
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.runtime import Runtime
from tests.fakes.scripted_reader import ScriptedReader
from tests.registry.answers.asking import asked, result
from tests.registry.world import build, colour_reader, honest
from tests.tables import for_each


class _Doubting(ScriptedReader):
    """Reads colours, pink ones with little confidence."""

    async def read(self, question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> Reading:
        reading = await super().read(question, passages, contexts)
        return replace(reading, confidence={"pink": 0.33, "grey": 0.5}.get(reading.answer or ""))


@pytest.fixture
async def doubted(runtime: Runtime, corpus: Corpus) -> Runtime:
    """One source on Grom, read with doubt, among others on other towers."""
    runtime = replace(runtime, reader=_Doubting(colour_reader().reply))
    await build(runtime, corpus, {"rumour": {"Grom": "pink"}, **{f"atlas{number}": honest() for number in range(4)}})
    return runtime


async def test_an_uncertain_reading_alone_is_no_answer_and_is_shown(doubted: Runtime, corpus: Corpus) -> None:
    answer = await asked(doubted, corpus, candidates_only=True)
    assert (answer.answers, answer.tally) == ((), ())
    assert answer.no_answer is not None
    assert answer.no_answer.code == "unsure"
    assert answer.no_answer.text.startswith(f"1 of the {answer.usage.readings} sources that were read may answer this")
    left_out = {source.external_id: (source.reason, source.reading) for source in answer.rejected_sources}
    assert left_out["rumour"] == ("unsure", "pink")
    assert "pink" in answer.nearest[0].quote


async def test_where_no_search_chose_it_or_as_in_the_paper_it_is_an_answer(doubted: Runtime, corpus: Corpus) -> None:
    all_read = await asked(doubted, corpus, candidates_only=False)
    assert all_read.answers == ("pink",)
    assert all_read.confidence == pytest.approx(0.33)
    in_paper = await asked(doubted, corpus, candidates_only=True, paper=True)
    assert in_paper.answers == ("pink",)


async def test_it_does_not_count_against_a_certain_one(doubted: Runtime, corpus: Corpus) -> None:
    await build(doubted, corpus, {"herald": {"Grom": "grey"}})
    answer = await asked(doubted, corpus, candidates_only=True)
    assert [line.answer for line in answer.tally] == ["grey"]
    # 0.45 times the odds of 0.5.
    assert answer.confidence == pytest.approx(0.45 / 1.45)


@for_each(("confidence", "answers"), [(0.24, ()), (0.3, ("pink",))])
async def test_the_reader_of_other_languages_has_a_bar_of_its_own_and_is_as_certain_as_it_says(
    doubted: Runtime, corpus: Corpus, confidence: float, answers: tuple[str, ...]
) -> None:
    asked_in_german = "Welche Farbe hat der Turm von Grom?"

    class Multilingual(ScriptedReader):
        async def read(self, question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> Reading:
            return replace(await super().read(question, passages, contexts), confidence=confidence)

    def said(_question: str, passages: Sequence[str]) -> str | None:
        return "pink" if any("Grom" in passage for passage in passages) else None

    reading = replace(doubted, reader=Multilingual(said, name=f"multilingual:{confidence}"))
    record = await service.ask(reading, corpus, asked_in_german, AnswerParameters(candidates_only=True))
    answer = result(record)
    assert answer.answers == answers
    assert not answers or answer.confidence == pytest.approx(confidence)
