"""Yes or no by the compact reader: said to be no surer than its judge, however many sources agree."""

from dataclasses import replace

from answering.readers import CompactReader
from registry.answers import service as answers
from registry.answers.resolution import YES_OR_NO
from registry.answers.result_schemas import NoAnswerCode
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.runtime import Runtime
from tests.registry.answers.asking import result
from tests.registry.world import build, honest, question


async def test_many_that_agree_make_a_small_judge_no_surer(runtime: Runtime, corpus: Corpus) -> None:
    runtime = replace(runtime, reader=CompactReader(threads=1))
    await build(runtime, corpus, {name: honest() for name in ("herald", "gazette", "times", "post")})
    asked = "Is the tower of Aldra painted red?"
    yes = result(await answers.ask(runtime, corpus, asked, AnswerParameters()))
    assert yes.answers == ("Yes",)
    assert len(yes.selected_sources) == 4
    assert yes.confidence <= 0.5
    assert YES_OR_NO in yes.notes
    for other in (question("Aldra"), "Can you tell me what colour the tower of Aldra is painted?"):
        named = result(await answers.ask(runtime, corpus, other, AnswerParameters()))
        assert named.confidence > 0.9
        assert YES_OR_NO not in named.notes


async def test_what_the_small_judge_cannot_tell_has_no_answer(runtime: Runtime, corpus: Corpus) -> None:
    runtime = replace(runtime, reader=CompactReader(threads=1))
    await build(runtime, corpus, {name: honest() for name in ("herald", "gazette")})
    refused = result(await answers.ask(runtime, corpus, "Should the tower of Aldra be painted?", AnswerParameters()))
    assert refused.answers == ()
    assert refused.no_answer is not None
    assert refused.no_answer.code is NoAnswerCode.NOT_JUDGED
    assert refused.nearest
