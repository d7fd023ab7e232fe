"""Questions answered from real documents in a real database, with a reader whose words are known."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from registry.answers import jobs as queued_answers
from registry.answers import service as answers
from registry.answers import store as stored_answers
from registry.answers.model import AnswerRecord
from registry.answers.result_schemas import AnswerResult
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.documents import store as documents
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.platform.database.base import Json
from registry.platform.enums import RunStatus
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.schemas import OverrideInput
from tests.fakes.scripted_chat import ScriptedChat
from tests.fakes.scripted_reader import ScriptedReader
from tests.registry.answers.asking import result
from tests.registry.estimated import finished
from tests.registry.world import build, colour_reader, question
from tests.tables import for_each

PLAIN = AnswerParameters()
# Passages name the tower, and none says this of it.
UNANSWERED = "Who owns the tower of Grom?"


async def test_the_reliable_minority_wins_once_reliability_is_known(outnumbered: Runtime, corpus: Corpus) -> None:
    before = result(await answers.ask(outnumbered, corpus, question("Grom"), AnswerParameters(kappa=5)))
    await finished(outnumbered, corpus)
    after = result(await answers.ask(outnumbered, corpus, question("Grom"), AnswerParameters(kappa=5)))
    assert before.answers == ("pink",)
    assert "no estimation" in before.notes[0]
    assert before.estimation_id is None
    assert after.answers == ("grey",)
    assert after.estimation_id is not None
    assert not after.notes


async def test_an_answer_says_that_another_reader_read_the_estimation(outnumbered: Runtime, corpus: Corpus) -> None:
    await finished(outnumbered, corpus)
    other = ScriptedReader(colour_reader().reply, name="another")
    [note] = result(
        await answers.ask(replace(outnumbered, reader=other), corpus, question("Grom"), AnswerParameters())
    ).notes
    assert "was read by scripted, and another reads now" in note
    assert "credence estimate" in note


async def test_a_list_that_was_asked_for_gives_its_items(runtime: Runtime, corpus: Corpus) -> None:
    colours = "grey, pink and red"
    await build(runtime, corpus, {name: {"Grom": colours} for name in ("herald", "gazette")})
    runtime = replace(runtime, reader=ScriptedReader(lambda _question, _passages: colours))
    asked = {"Which colours has the tower of Grom?": ("grey", "pink", "red"), question("Grom"): (colours,)}
    for text, wanted in asked.items():
        answer = result(await answers.ask(runtime, corpus, text, PLAIN))
        assert (answer.outcome, answer.answers) == ("answered", wanted)


async def test_items_of_lists_are_voted_on_each_by_itself(runtime: Runtime, corpus: Corpus) -> None:
    lists = {
        "herald": "German, French and Romansch",
        "gazette": "Romansh, German, French and English",
        "times": "German, French and Romansh",
        "rumour": "Walloon",
    }
    await build(runtime, corpus, {name: {"Grom": listed} for name, listed in lists.items()})
    runtime = replace(runtime, reader=ScriptedReader(lambda _question, passages: _said(lists, passages)))
    answer = result(await answers.ask(runtime, corpus, "Which languages has the tower of Grom?", PLAIN))
    assert (answer.outcome, set(answer.answers)) == ("answered", {"German", "French", "Romansh"})
    assert [(line.answer, line.votes) for line in answer.tally[3:]] == [("English", 1), ("Walloon", 1)]
    probabilities = {line.answer: line.probability or 0.0 for line in answer.tally}
    assert answer.confidence == min(probabilities[item] for item in answer.answers)
    assert max(probabilities["English"], probabilities["Walloon"]) < 0.5 < answer.confidence
    supports = {source.external_id: source.supports for source in answer.selected_sources}
    assert supports == {"herald": True, "gazette": True, "times": True, "rumour": False}
    assert {dissenter.answer for dissenter in answer.dissent} == {"Walloon"}
    assert {citation.answer for citation in answer.citations} == set(lists.values()) - {"Walloon"}
    # Equal weights: three of four for an item, one of them has to change.
    assert answer.certificate.size == 1


def _said(lists: Mapping[str, str], passages: Sequence[str]) -> str:
    return next(listed for listed in lists.values() if any(listed in passage for passage in passages))


async def test_an_answer_says_why(outnumbered: Runtime, corpus: Corpus) -> None:
    await finished(outnumbered, corpus)
    record = await answers.ask(outnumbered, corpus, question("Grom"), AnswerParameters(kappa=4))
    answer = result(record)
    assert answer.outcome == "answered"
    assert [source.external_id for source in answer.selected_sources][:2] == ["gazette", "herald"] or [
        source.external_id for source in answer.selected_sources
    ][:2] == ["herald", "gazette"]
    assert len(answer.selected_sources) == 4
    assert {line.answer: line.votes for line in answer.tally} == {"grey": 2, "pink": 2}
    assert {dissenter.answer for dissenter in answer.dissent} == {"pink"}
    assert {citation.source_id for citation in answer.dissent_citations} == {
        dissenter.source_id for dissenter in answer.dissent
    }
    assert {citation.answer for citation in answer.dissent_citations} == {"pink"}
    times = next(source for source in answer.rejected_sources if source.external_id == "times")
    assert (times.reason, times.abstention) == ("abstained", "no_answer")
    assert answer.certificate.size is not None
    assert 0 < answer.confidence <= 1
    probabilities = [line.probability or 0.0 for line in answer.tally]
    assert probabilities[0] == answer.confidence > probabilities[1] > 0
    assert sum(probabilities) <= 1
    assert answer.usage.readings >= 5
    async with outnumbered.database.begin() as session:
        for citation in (*answer.citations, *answer.dissent_citations):
            document = await documents.get(session, corpus, citation.source_id, citation.document_id)
            assert document.content[citation.start : citation.end] == citation.quote
            assert citation.quote == f"The tower of Grom is painted {citation.answer or 'grey'}."
            assert citation.context is not None
            assert citation.context.startswith("By ")
        stored = await stored_answers.get(session, corpus, record.id)
    assert result(stored) == answer
    old = answer.model_dump(mode="json", exclude={"dissent_citations": True, "tally": {"__all__": {"probability"}}})
    assert AnswerResult.model_validate(old).dissent_citations == ()


async def test_why_there_is_no_answer(outnumbered: Runtime, corpus: Corpus) -> None:
    async def code(asked: str, **parameters: object) -> str | None:
        answer = result(await answers.ask(outnumbered, corpus, asked, AnswerParameters.model_validate(parameters)))
        return None if answer.no_answer is None else answer.no_answer.code

    assert await code("Welche Farbe hat der Turm von Nirgendwo?") == "language"
    answer = result(await answers.ask(outnumbered, corpus, "Welche Farbe hat der Turm von Grom?", PLAIN))
    assert any("in German" in note for note in answer.notes)
    chat = ScriptedChat("grau")
    read = replace(outnumbered, chat=chat)
    answer = result(await answers.ask(read, corpus, "Welche Farbe hat der Turm von Grom?", PLAIN))
    assert len(chat.calls) == 6
    assert not any("German" in note for note in answer.notes)
    assert await code(UNANSWERED, max_readings=1) == "out_of_budget"
    assert await code(question("Grom")) is None
    invents = replace(outnumbered, reader=ScriptedReader(lambda _question, _passages: "mauve", name="invents"))
    answer = result(await answers.ask(invents, corpus, question("Grom"), PLAIN))
    assert answer.no_answer is not None
    assert answer.no_answer.code == "only_rejected"


async def test_what_no_passage_names_is_not_read(outnumbered: Runtime, corpus: Corpus) -> None:
    """The answer says what was found instead, and no reader is asked."""
    reader = colour_reader()
    read = replace(outnumbered, reader=reader)
    answer = result(await answers.ask(read, corpus, question("Wakanda"), PLAIN))
    assert answer.no_answer is not None
    assert (answer.outcome, answer.no_answer.code) == ("unsupported", "unknown_subject")
    assert "“Wakanda”" in answer.no_answer.text
    assert answer.nearest
    assert not reader.calls


async def test_an_ordinary_word_is_not_what_a_name_names(runtime: Runtime, corpus: Corpus) -> None:
    """A hamlet is no Hamlet; a word that the question alone writes large is looked for all the same."""
    runtime = replace(runtime, reader=colour_reader())
    built = await build(runtime, corpus, {"herald": {}})
    text = "The hamlet of Esk lies by the sea. A mole of stone was built there."
    await ingest(runtime, corpus, built["herald"].id, [DocumentInput(external_id="1", content=text)])
    codes = {}
    for asked_of in ("Who wrote Hamlet?", "Who built the Mole?", "Where is Esk?"):
        answer = result(await answers.ask(runtime, corpus, asked_of, PLAIN))
        codes[asked_of] = answer.no_answer and answer.no_answer.code, answer.usage.readings
    assert codes["Who wrote Hamlet?"] == ("unknown_subject", 0)
    assert codes["Who built the Mole?"][1] == codes["Where is Esk?"][1] == 1


async def test_a_name_is_not_known_by_its_ordinary_word_alone(runtime: Runtime, corpus: Corpus) -> None:
    """Towers are no names; a misspelt one is read."""
    await build(runtime, corpus, {"herald": {"Grom": "grey"}})
    runtime = replace(runtime, reader=colour_reader())
    readings = {}
    for asked_of in ("Who owns Wakanda Tower?", "Who owns Grom Tower?", "Who owns Grmo Tower?"):
        answer = result(await answers.ask(runtime, corpus, asked_of, PLAIN))
        readings[asked_of] = answer.usage.readings
        assert answer.no_answer is not None
        assert (answer.no_answer.code == "unknown_subject") == (asked_of == "Who owns Wakanda Tower?")
    assert [bool(read) for read in readings.values()] == [False, True, True]


async def test_a_question_that_has_an_answer_of_each_subject_lacks_its_own(runtime: Runtime, corpus: Corpus) -> None:
    def colour(_question: str, passages: Sequence[str]) -> str:
        return "grey" if "grey" in " ".join(passages) else "pink"

    runtime = replace(runtime, reader=ScriptedReader(colour))
    await build(runtime, corpus, {"herald": {"Grom": "grey"}, "gazette": {"Brin": "pink"}})
    asked = {}
    for text in ("How is the tower painted?", question("Grom")):
        answer = asked[text] = result(await answers.ask(runtime, corpus, text, PLAIN))
        assert {source.answer for source in answer.selected_sources} == {"grey", "pink"}
    lacking = asked["How is the tower painted?"]
    assert lacking.no_answer is not None
    assert (lacking.no_answer.code, lacking.answers) == ("no_subject", ())
    assert "Grom" in lacking.no_answer.text
    assert "Brin" in lacking.no_answer.text
    assert asked[question("Grom")].answers


async def test_a_misspelt_question_is_read(outnumbered: Runtime, corpus: Corpus) -> None:
    reader = colour_reader()
    await answers.ask(replace(outnumbered, reader=reader), corpus, "what is the colour of grmo?", PLAIN)
    assert reader.calls


@for_each(
    ("text", "code"),
    [
        ("hi", "not_a_question"),
        ("gm folks", "not_a_question"),
        ("Write me a poem about Grom", "not_a_question"),
        ("Are you sure?", "no_subject"),
    ],
)
async def test_what_is_no_question_is_not_read(text: str, code: str, outnumbered: Runtime, corpus: Corpus) -> None:
    reader = colour_reader()
    answer = result(await answers.ask(replace(outnumbered, reader=reader), corpus, text, PLAIN))
    assert answer.no_answer is not None
    assert (answer.outcome, answer.no_answer.code) == ("no_evidence", code)
    assert not reader.calls


async def test_each_question_of_several_is_answered_and_stored(outnumbered: Runtime, corpus: Corpus) -> None:
    both = f"{question('Grom')} {question('Wakanda')}"
    record = await answers.ask(outnumbered, corpus, both, PLAIN)
    answer = result(record)
    assert [part.question for part in answer.parts] == [question("Grom"), question("Wakanda")]
    first, second = answer.parts
    assert answer.answers == first.answers[:1] != ()
    assert answer.confidence == first.confidence
    supporters = {source.source_id for source in answer.selected_sources if source.supports}
    assert supporters == {citation.source_id for citation in answer.citations}
    assert {citation.answer for citation in answer.citations} == set(answer.answers)
    assert second.no_answer is not None
    assert second.no_answer.code == "unknown_subject"
    assert any("Wakanda" in note for note in answer.notes)
    async with outnumbered.database.begin() as session:
        stored = await session.get_one(AnswerRecord, first.answer_id)
    assert result(stored).answers == first.answers


async def test_a_later_question_is_about_what_the_first_one_names(runtime: Runtime, corpus: Corpus) -> None:
    runtime = replace(runtime, reader=ScriptedReader(lambda asked, _: "Grom" if "pink" in asked else None))
    await build(runtime, corpus, {"herald": {"Grom": "pink"}})
    record = await answers.ask(runtime, corpus, "Which tower is painted pink and what is its length?", PLAIN)
    assert [part.question for part in result(record).parts] == [
        "Which tower is painted pink?",
        "what is Grom's length?",
    ]


async def test_the_passages_tell_whether_two_names_are_one(runtime: Runtime, corpus: Corpus) -> None:
    runtime = replace(runtime, reader=colour_reader())
    await build(runtime, corpus, {"herald": {"Grom": "grey", "Brin": "pink", "Salt and Pepper": "blue"}})
    questions = {}
    for names in ("Grom and Brin", "Salt and Pepper"):
        record = await answers.ask(runtime, corpus, f"What is the colour of {names}?", PLAIN)
        questions[names] = [part.question for part in result(record).parts]
    assert questions["Grom and Brin"] == ["What is the colour of Grom?", "What is the colour of Brin?"]
    assert not questions["Salt and Pepper"]


async def test_a_corpus_without_passages_finds_nothing(runtime: Runtime, corpus: Corpus) -> None:
    runtime = replace(runtime, reader=colour_reader())
    await build(runtime, corpus, {"herald": {}})
    answer = result(await answers.ask(runtime, corpus, question("Grom"), PLAIN))
    assert answer.outcome == "no_evidence"
    assert answer.no_answer is not None
    assert answer.no_answer.code == "nothing_found"


async def test_an_almost_even_vote_is_a_conflict_with_both_answers(runtime: Runtime, corpus: Corpus) -> None:
    runtime = replace(runtime, reader=colour_reader())
    await build(runtime, corpus, {"herald": {"Grom": "grey"}, "gazette": {"Grom": "pink"}})
    async with runtime.database.begin() as session:
        for name, reliability in (("herald", 0.8), ("gazette", 0.79)):
            source = await sources.find(session, corpus, name)
            override = OverrideInput(reliability=reliability, reason="audited")
            await sources.set_override(session, corpus, source.id, override, created_by="test")
    steps: dict[str, Json] = {}

    async def report(kind: str, data: Json) -> None:
        steps[kind] = data

    almost_even = result(await answers.ask(runtime, corpus, question("Grom"), PLAIN, progress=report))
    assert 0 < almost_even.margin < 0.05
    assert steps["voted"]["margin"] == almost_even.margin
    first, second = (entry.weight for entry in almost_even.tally)
    assert almost_even.margin == pytest.approx((first - second) / (first + second))
    assert (almost_even.outcome, almost_even.answers) == ("conflicting", ("grey", "pink"))
    assert {citation.answer for citation in almost_even.citations} == {"grey", "pink"}
    decided = result(await answers.ask(runtime, corpus, question("Grom"), AnswerParameters(min_margin=0)))
    assert (decided.outcome, decided.answers) == ("answered", ("grey",))


async def test_one_voter_below_chance_is_not_believed(runtime: Runtime, corpus: Corpus) -> None:
    runtime = replace(runtime, reader=colour_reader())
    built = await build(runtime, corpus, {"rumour": {"Grom": "pink"}})
    async with runtime.database.begin() as session:
        override = OverrideInput(reliability=0.27, reason="audited")
        await sources.set_override(session, corpus, built["rumour"].id, override, created_by="test")
    answer = result(await answers.ask(runtime, corpus, question("Grom"), PLAIN))
    assert (answer.answers, answer.outcome, answer.confidence) == ((), "unsupported", 0.0)
    assert answer.no_answer is not None
    assert answer.no_answer.code == "nobody_reliable"
    assert [entry.answer for entry in answer.tally] == ["pink"]
    assert [citation.answer for citation in answer.dissent_citations] == ["pink"]


async def test_the_second_time_costs_no_model_call(outnumbered: Runtime, corpus: Corpus) -> None:
    first = result(await answers.ask(outnumbered, corpus, question("Grom"), PLAIN))
    second = result(await answers.ask(outnumbered, corpus, question("Grom"), PLAIN))
    assert first.usage.model_calls > 0
    assert second.usage.model_calls == 0
    assert second.usage.readings_cached == second.usage.readings


async def test_characters_that_postgres_refuses_are_left_out(outnumbered: Runtime, corpus: Corpus) -> None:
    reader = ScriptedReader(lambda _question, _passages: "painted\x00 \ud800")
    runtime = replace(outnumbered, reader=reader)
    first = result(await answers.ask(runtime, corpus, question("Grom"), PLAIN))
    second = result(await answers.ask(runtime, corpus, question("Grom"), PLAIN))
    assert first.usage.readings_cached == 0
    assert first.answers == second.answers == ("painted ?",)


async def test_a_queued_question_is_answered_by_its_job(outnumbered: Runtime, corpus: Corpus) -> None:
    queued = await queued_answers.start(outnumbered, corpus, question("Grom"), PLAIN)
    await asyncio.gather(queued_answers.run(outnumbered, queued.id), queued_answers.run(outnumbered, queued.id))
    async with outnumbered.database.begin() as session:
        done = await stored_answers.get(session, corpus, queued.id)
    assert done.status == RunStatus.SUCCEEDED
    assert result(done).answers
