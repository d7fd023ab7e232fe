"""An answer of one source alone that its reader holds for more likely wrong than right."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from answering.readers import Reading, ScriptedReader
from registry.answers.result_schemas import NoAnswerCode
from registry.corpora.model import Corpus
from registry.runtime import Runtime
from tests.registry.answers.asking import asked
from tests.registry.misread_world import read_colour
from tests.registry.world import build


class DoubtingReader(ScriptedReader):
    """Is this sure of every reading."""

    def __init__(self, confidence: float | None) -> None:
        super().__init__(read_colour)
        self._confidence = confidence

    async def read(self, question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> Reading:
        return replace(await super().read(question, passages, contexts), confidence=self._confidence)


async def test_it_is_no_answer_but_is_shown(runtime: Runtime, corpus: Corpus) -> None:
    await build(runtime, corpus, {"herald": {"Grom": "grey"}, "gazette": {}})
    result = await asked(replace(runtime, reader=DoubtingReader(0.45)), corpus)
    assert (result.answers, result.confidence) == ((), 0.0)
    assert result.no_answer is not None
    assert result.no_answer.code is NoAnswerCode.PROBABLY_MISREAD
    assert [line.answer for line in result.tally] == ["grey"]
    assert result.nearest


@pytest.mark.parametrize(("confidence", "sources"), [(0.55, 1), (0.45, 2), (None, 1)])
async def test_it_is_one_where_the_reader_is_surer_or_another_source_says_so(
    runtime: Runtime, corpus: Corpus, confidence: float | None, sources: int
) -> None:
    names = ("herald", "gazette")[:sources]
    await build(runtime, corpus, {name: {"Grom": "grey"} for name in names})
    result = await asked(replace(runtime, reader=DoubtingReader(confidence)), corpus)
    assert result.answers == ("grey",)


async def test_it_is_one_where_no_more_sources_were_to_be_asked(runtime: Runtime, corpus: Corpus) -> None:
    await build(runtime, corpus, {name: {"Grom": "grey"} for name in ("herald", "gazette")})
    result = await asked(replace(runtime, reader=DoubtingReader(0.45)), corpus, kappa=1)
    assert result.answers == ("grey",)
