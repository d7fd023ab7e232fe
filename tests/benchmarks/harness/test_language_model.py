"""What a run of a language model costs is known before it is asked."""

from argparse import Namespace
from pathlib import Path

from answering.judges import ChatJudge, Label, Pair
from answering.judges.compact import CompactJudge
from benchmarks.data.ramdocs import Question
from benchmarks.debate.short import short_question
from benchmarks.debate.strategies import DEBATES, StrategyRunner
from benchmarks.harness import Options, Report
from benchmarks.harness.cache import CachedChat, JsonLines
from benchmarks.harness.language_model import StandIn, rehearse
from tests.fakes.scripted_chat import ScriptedChat
from tests.fakes.scripted_reader import ScriptedReader
from tests.tables import for_each

PASSAGES = {"Lena Dahl leads the choir.": "correct", "Ivar Brask leads it.": "misinfo"}
QUESTION: Question = short_question("q", "Who leads the choir?", PASSAGES, ["Lena Dahl"])


@for_each(
    ("strategy", "calls"),
    [
        ("no RAG", 1),
        ("concatenated", 1),
        ("self-consistency", 5),
        ("astute", 2),
        # Two agents and an aggregator in each of three rounds.
        ("madam T=3", 9),
        # Three rounds of the search and three of the answer, then the judge.
        ("drag", 3 * 3 + 3 * 2 + 1),
        ("drag, no search", 3 * 2 + 1),
    ],
)
async def test_a_stand_in_holds_debates_to_their_last_round(strategy: str, calls: int) -> None:
    stand_in = StandIn("stand-in")
    outcome = await StrategyRunner(ScriptedReader({}), CompactJudge(), stand_in).outcome(strategy, QUESTION, 10.0)
    assert outcome.calls == stand_in.usage.model_calls == calls
    assert outcome.unreadable == 0
    assert strategy in DEBATES


@for_each(("foretell",), [(False,), (True,)])
async def test_kept_completions_cost_nothing_and_a_rehearsal_keeps_none(foretell: bool, tmp_path: Path) -> None:
    path = tmp_path / f"{foretell}.jsonl"
    known, new = Pair("It is warm.", "It is cold."), Pair("It rains.", "It is dry.")
    verdict = ScriptedChat('{"label": "contradicts", "quote": "It is cold."}')
    chat = CachedChat(verdict, JsonLines(path))
    assert [judged.label for judged in await ChatJudge(chat).judge_all([known])] == [Label.CONTRADICTS]
    kept, report = path.read_text(), Report(Options(extra=Namespace(foretell=foretell)))
    goes_on = await rehearse(report, chat, lambda stand_in: ChatJudge(stand_in).judge_all([known, new]), share=0.5)
    assert goes_on is not foretell
    assert ("the language model" in report.rivals_skipped) is foretell
    assert report.figures["foretold calls"] == 2
    assert path.read_text() == kept
    assert len(verdict.calls) == 1
