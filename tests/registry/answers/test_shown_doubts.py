"""What an answer says of its own doubts: few votes, its certificate, and yes or no that is no sure knowledge."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from sqlalchemy import func, update

from answering.enums import AbstentionReason
from answering.readers import CompactReader
from answering.readers.reader import Reading
from answering.voting import certify
from benchmarks.calibration.brute_force import overturns, smallest_overturning_set
from benchmarks.calibration.electorates import World
from registry.answers import service as answers
from registry.answers.conclusion import YES_OR_NO
from registry.answers.result_schemas import AnswerResult, NoAnswerCode
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.estimations.model import RunQuery
from registry.runtime import Runtime
from tests.api.pages.test_sources import estimate
from tests.fakes.scripted_reader import ScriptedReader
from tests.registry.answers.asking import asked, result
from tests.registry.answers.drawn_votes import drawn
from tests.registry.world import TOWERS, build, colour_reader, honest, liar, question


def said(result: AnswerResult) -> bool:
    return any("rests on few votes" in note for note in result.notes)


async def test_an_answer_that_separate_runs_turn_says_so(runtime: Runtime, corpus: Corpus) -> None:
    runtime = replace(runtime, reader=colour_reader())
    await build(runtime, corpus, {"herald": honest(), "gazette": honest(), "rumour": liar()}, TOWERS)
    await estimate(runtime, corpus)
    before = await asked(runtime, corpus, TOWERS[0])
    assert (before.turned, said(before)) == (None, False)
    async with runtime.database.begin() as session:
        turned = func.length(RunQuery.query_text) - func.length(func.replace(RunQuery.query_text, TOWERS[0], ""))
        await session.execute(update(RunQuery).values(turned=0.25 * func.sign(turned)))
    first, second = await asked(runtime, corpus, TOWERS[0]), await asked(runtime, corpus, TOWERS[1])
    assert (first.turned, said(first), second.turned, said(second)) == (0.25, True, 0.0, False)


# Of so many sources every set is tried; of more only those smaller than the certificate, which must not overturn.
FEW, MANY = 4, 9


async def test_it_is_the_smallest_set_that_overturns_the_vote() -> None:
    sizes = set()
    for seed in range(700):
        held = await (question := drawn(seed, FEW)).hold_vote()
        world = World(question.reliabilities.electorate(), held.count.votes)
        size = certify(held.count.electorate, held.count.votes).size
        assert size == smallest_overturning_set(world), seed
        sizes.add(size)
    assert {None, 0, 1, 2} <= sizes


async def test_of_many_sources_it_overturns_the_vote_and_no_smaller_set_does() -> None:
    for seed in range(300):
        held = await (question := drawn(seed, MANY)).hold_vote()
        world = World(question.reliabilities.electorate(), held.count.votes)
        certificate = certify(held.count.electorate, held.count.votes)
        assert certificate.is_bound or not certificate.size or overturns(world, certificate.sources), seed
        smaller = (set_ for size in range(certificate.size or 0) for set_ in combinations(held.count.answers, size))
        assert not any(overturns(world, sources) for sources in smaller), seed


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


class _Abstaining(ScriptedReader):
    """Abstains for one reason."""

    def __init__(self, reason: AbstentionReason) -> None:
        super().__init__(name=f"abstaining: {reason}")
        self._reason = reason

    async def read(self, question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> Reading:
        return replace(await super().read(question, passages, contexts), reason=self._reason)


async def test_what_sources_do_not_say_is_named(runtime: Runtime, corpus: Corpus) -> None:
    await build(runtime, corpus, {name: honest() for name in ("herald", "gazette")})
    texts = {
        AbstentionReason.UNDECIDED: "2 of 2 sources were read, and none of them says yes or no.",
        AbstentionReason.NO_EXPLANATION: "2 of 2 sources were read, and none of them says why or how.",
        AbstentionReason.OTHER_KIND: "2 of 2 sources were read, and what they say is not of the kind that the question "
        "asks for.",
    }
    for reason, text in texts.items():
        abstaining = replace(runtime, reader=_Abstaining(reason))
        refused = result(await answers.ask(abstaining, corpus, question("Aldra"), AnswerParameters()))
        assert refused.no_answer is not None
        assert (refused.no_answer.code, refused.no_answer.text) == (NoAnswerCode.QUESTION_KIND, text)
