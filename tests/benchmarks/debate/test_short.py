"""Mixes of passages, the rivals of Astute RAG, and the search of DRAG's corpus."""

from answering.debates.driver import run
from answering.debates.execution import Services
from benchmarks.debate.astute import Mix, filtered, self_route
from benchmarks.debate.searching import corpus_search
from benchmarks.debate.short import is_right, short_question, tabulate_short
from benchmarks.debate.strategies import Outcome
from benchmarks.harness import Options, Report
from benchmarks.multisource.conflicts import Conflict
from benchmarks.multisource.facts import Fact
from tests.fakes.scripted_chat import ChatCall, ScriptedChat

FACT = Fact("1", "Who leads the choir?", ("Lena Dahl", "Dahl"), ("Ivar Brask",), "", "", ())
CONFLICT = Conflict(FACT, ("Dahl leads it.", "Lena Dahl does."), ("Ivar Brask leads it.",), ("It sings.", "It is old."))


def test_a_mix_takes_so_many_passages_of_each_kind() -> None:
    (question,) = Mix(1, 1, 2).questions([CONFLICT], 5)
    assert [document.text for document in question.documents] == [
        "Dahl leads it.",
        "Ivar Brask leads it.",
        *CONFLICT.noise,
    ]
    assert question.kinds == ("correct", "misinfo", "noise", "noise")
    assert Mix(3, 0, 0).questions([CONFLICT], 5) == []


def test_one_spelling_of_the_right_answer_is_enough() -> None:
    question = Mix(1, 0, 0).question(CONFLICT)
    assert is_right(question, Outcome(("Ms Dahl",)))
    assert not is_right(question, Outcome(("Ivar Brask",)))
    done = {question.id: {"guess": Outcome(("Ivar Brask",), calls=3), "none": Outcome(())}}
    report = Report(Options())
    assert tabulate_short(report, "made up", done, [question]) == {"guess": 0.0, "none": 0.0}
    assert [row[2:5] for row in report.tables[0].rows] == [("1.000", "0.000", "3.0"), ("0.000", "1.000", "0.0")]


async def test_self_route_answers_from_memory_only_where_documents_do_not() -> None:
    def reply(call: ChatCall) -> str:
        return 'Answers: ["Ivar Brask"]' if "Brask" in call.message else 'Answers: ["Dahl"]'

    for mix, calls, answer in ((Mix(0, 1, 1), 1, "Ivar Brask"), (Mix(0, 0, 2), 2, "Dahl")):
        question = mix.question(CONFLICT)
        done = await run(self_route(question.text, question.documents), Services(ScriptedChat(reply)))
        assert (done.usage.model_calls, done.answers[0].answer) == (calls, answer)


async def test_filtering_shows_the_documents_that_help() -> None:
    chat = ScriptedChat(lambda call: "2" if "numbered" in call.system else 'Answers: ["Dahl"]')
    question = short_question("q", FACT.question, {"It sings.": "noise", "Dahl leads it.": "correct"}, ["Dahl"])
    done = await run(filtered(question.text, question.documents), Services(chat))
    assert done.answers[0].documents == ("2",)
    assert "It sings." not in chat.calls[-1].message


async def test_the_corpus_is_searched_by_similarity() -> None:
    search = await corpus_search(["The mill grinds flour.", "The choir sings in Orvik.", "The mill grinds flour."])
    (found,) = await search.search("Who sings in the choir?", limit=1, selected_only=True)
    assert (len(search.passages), found.text) == (2, "The choir sings in Orvik.")
