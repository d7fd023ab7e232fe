"""Queries written from documents: which facts become queries, and how far a generation goes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
from sqlalchemy import select

from answering.errors import ModelError
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput
from registry.estimations import service as estimation
from registry.estimations.model import EstimationRun, RunSource
from registry.estimations.schemas import EstimationParameters
from registry.platform.enums import QueryOrigin, RunStatus, Trigger
from registry.platform.errors import SettingsError
from registry.queries import store as queries
from registry.queries.model import Query
from registry.query_generations import service as query_generation
from registry.query_generations import store
from registry.query_generations.model import QueryGeneration
from registry.query_generations.schemas import GenerationParameters, GenerationReport
from registry.runtime import Runtime
from registry.sources.model import Source
from tests.fakes.scripted_chat import ChatCall, ScriptedChat
from tests.fakes.scripted_reader import ScriptedReader
from tests.registry.mills import NAMES, built, mill_reader, publish, publish_mills

ALL = GenerationParameters(max_agreed=1.0)
GAPPED = "The bell of Aldra Mill is called ____."
# Of more than twenty words, so that equal ones are copies.
LONG = (
    "{mill} Mill was built in {year} by the brothers who had come down the river with forty carts and one tired old"
    " horse, and for eleven years nobody in the valley spoke of anything else than its wheels."
)


@pytest.fixture
def reading(runtime: Runtime) -> Runtime:
    return replace(runtime, reader=mill_reader())


async def generated(
    runtime: Runtime, corpus: Corpus, parameters: GenerationParameters = ALL
) -> tuple[GenerationReport, list[str]]:
    """What a generation reports, and the texts of all generated queries."""
    generation = await query_generation.run_now(runtime, corpus, parameters)
    assert generation.problem is None
    report = GenerationReport.model_validate(generation.report)
    counts = report.model_dump(exclude={"documents", "facts", "readings", "agreed", "model_calls"})
    assert report.facts == sum(counts.values())
    return report, [query.text for query in await queries_of(runtime, corpus, QueryOrigin.GENERATED)]


async def queries_of(runtime: Runtime, corpus: Corpus, origin: QueryOrigin) -> list[Query]:
    async with runtime.database.begin() as session:
        return list((await queries.page(session, corpus, cursor=None, limit=100, origin=origin)).items)


async def test_what_several_sources_speak_of_becomes_a_query_with_its_origin(reading: Runtime, corpus: Corpus) -> None:
    stated = {"herald": [built("Aldra", 1874)], "post": [built("Aldra", 1874)], "echo": [built("Aldra", 1912)]}
    await publish(reading, corpus, stated | {"alone": [built("Brin", 1700)]})
    report, texts = await generated(reading, corpus)
    assert texts == ["In which year was Aldra Mill built?"]
    assert (report.queries, report.agreed, report.documents) == (1, 0, 4)
    (query,) = await queries_of(reading, corpus, QueryOrigin.GENERATED)
    origin = query.provenance or {}
    assert (origin["leading_answer"], query.active) == ("1874", True)
    assert origin["sentence"] == built("Aldra", int(origin["answer"]))


async def test_a_fact_that_nobody_confirms_and_one_that_few_speak_of_become_none(
    reading: Runtime, corpus: Corpus
) -> None:
    await publish(
        reading,
        corpus,
        {
            "herald": [built("Aldra", 1874), built("Brin", 1801)],
            "post": [built("Aldra", 1875), built("Brin", 1801)],
            "echo": [built("Aldra", 1876)],
        },
    )
    report, texts = await generated(reading, corpus)
    assert texts == []
    assert (report.contested, report.unanswered, report.repeated) == (1, 1, 3)


async def test_what_only_copies_of_one_text_say_becomes_none(reading: Runtime, corpus: Corpus) -> None:
    copied = LONG.format(mill="Aldra", year=1874)
    await publish(reading, corpus, {name: [copied] for name in ("herald", "post", "echo", "times")})
    report, texts = await generated(reading, corpus)
    assert (texts, report.copied) == ([], 1)
    await publish(reading, corpus, {"gazette": [built("Aldra", 1874)], "star": ["Aldra Mill was built in 1874 or so."]})
    assert (await generated(reading, corpus))[1] == ["In which year was Aldra Mill built?"]


@pytest.mark.parametrize("signed", [False, True])
async def test_sources_with_one_short_text_are_one_voice(reading: Runtime, corpus: Corpus, signed: bool) -> None:
    await publish(reading, corpus, {name: [built("Aldra")] for name in NAMES}, signed=signed)
    report, texts = await generated(reading, corpus)
    assert (report.copied, len(texts)) == ((0, 1) if signed else (1, 0))


async def test_a_generation_goes_on_behind_the_last_one_and_sees_changed_documents(
    reading: Runtime, corpus: Corpus
) -> None:
    mills = ("Aldra", "Brin", "Corvo", "Delm")
    await publish_mills(reading, corpus, *mills)
    one = ALL.model_copy(update={"queries": 1})
    assert [len((await generated(reading, corpus, one))[1]) for _ in range(5)] == [1, 2, 3, 4, 4]
    report, _ = await generated(reading, corpus)
    assert (report.documents, report.facts, report.readings) == (0, 0, 0)
    await publish_mills(reading, corpus, "Esk")
    assert len((await generated(reading, corpus))[1]) == 5


async def test_the_same_seed_gives_the_same_queries_and_a_deleted_one_does_not_come_back(
    reading: Runtime, corpus: Corpus
) -> None:
    mills = ("Aldra", "Brin", "Corvo", "Delm", "Esk")
    three = ALL.model_copy(update={"queries": 3, "seed": 7})
    async with reading.database.begin() as session:
        another_corpus = await corpora.create(session, CorpusInput(name="another"))
    drawn = []
    for owner in (corpus, another_corpus):
        await publish_mills(reading, owner, *mills)
        drawn.append((await generated(reading, owner, three))[1])
    assert drawn[0] == drawn[1]
    async with reading.database.begin() as session:
        page = await queries.page(session, corpus, cursor=None, limit=10)
        await queries.delete(session, corpus, page.items[0].id)
    _, texts = await generated(reading, corpus)
    assert Counter(texts) == Counter(f"In which year was {mill} Mill built?" for mill in mills) - Counter(drawn[0][:1])


async def test_documents_of_the_source_that_a_run_knows_least_come_first(reading: Runtime, corpus: Corpus) -> None:
    mills = ("Aldra", "Brin", "Corvo", "Delm", "Esk", "Farn", "Gol", "Holm")
    await publish(reading, corpus, {name: [built(mill) for mill in mills] for name in ("herald", "post", "echo")})
    run = await estimation.start(reading, corpus, EstimationParameters(), Trigger.HTTP)
    widths = {"herald": 0.1, "post": 0.4, "echo": 0.1}
    async with reading.database.begin() as session:
        owners = {source.id: source.external_id for source in await session.scalars(select(Source))}
        (await session.get_one(EstimationRun, run.id)).status = RunStatus.SUCCEEDED
        for source_id, name in owners.items():
            known = {"reliability": 0.5, "lower": 0.5, "upper": 0.5 + widths[name], "weight": 1.0, "vote_count": 9}
            source = RunSource(estimation_id=run.id, source_id=source_id, source_name=name, **known)
            session.add(source)
            source.abstention_count = 0
    async with reading.database.begin() as session:
        order = [owners[document.source_id] for document in await store.unsearched(session, corpus, 0)]
    assert Counter(order[:6]) == {"post": 4, "herald": 1, "echo": 1}
    assert len(order) == 3 * len(mills)


async def test_budgets_and_the_share_of_agreed_queries_are_kept(reading: Runtime, corpus: Corpus) -> None:
    mills = [f"{head}{tail}" for head in ("Al", "Bren", "Cor", "Del") for tail in ("dra", "vik", "mund", "stead", "ek")]
    await publish_mills(reading, corpus, *mills)
    spent, _ = await generated(reading, corpus, ALL.model_copy(update={"max_readings": 1}))
    assert 0 < spent.documents < 60
    half = GenerationParameters(queries=4, max_agreed=0.5, active=False)
    report, _ = await generated(reading, corpus, half)
    assert (report.queries, report.agreed, report.surplus > 0) == (2, 2, True)
    assert not (await queries_of(reading, corpus, QueryOrigin.GENERATED))[-1].active


async def test_a_generation_that_fails_says_why(reading: Runtime, corpus: Corpus) -> None:
    def fail(_asked: str, _passages: Sequence[str]) -> str:
        raise ZeroDivisionError

    await publish_mills(reading, corpus, "Aldra")
    broken = replace(reading, reader=ScriptedReader(fail))
    with pytest.raises(ZeroDivisionError):
        await query_generation.run_now(broken, corpus, ALL)
    async with reading.database.begin() as session:
        (failed,) = (await session.scalars(select(QueryGeneration))).all()
    assert (failed.status, bool(failed.problem)) == ("failed", True)


def worded(call: ChatCall) -> str | ModelError:
    """A plain question, none for Brin; and no reply for Corvo."""
    if call.system.startswith("You check"):
        return "No." if "Dovre" in call.message else "Yes."
    sentence = call.message.rpartition("Sentence:")[2]
    if "Corvo" in sentence:
        return ModelError("overloaded")
    return "NONE" if "Brin" in sentence else "What is the bell of Aldra Mill called?"


@pytest.mark.parametrize(
    ("wanted", "asked_of_aldra"), [(True, "What is the bell of Aldra Mill called?"), (False, GAPPED)]
)
async def test_a_language_model_words_what_rules_cannot_ask(
    runtime: Runtime, corpus: Corpus, wanted: bool, asked_of_aldra: str
) -> None:
    bells = {"Aldra": "Old Marit", "Brin": "Big Ragna", "Corvo": "Black Peter", "Dovre": "Little Liv"}
    texts = [f"The bell of {mill} Mill is called {bell}." for mill, bell in bells.items()]

    def read(question: str, passages: Sequence[str]) -> str | None:
        return next((bell for mill, bell in bells.items() if mill in question and bell in " ".join(passages)), None)

    chat = ScriptedChat(worded)
    reading = replace(runtime, reader=ScriptedReader(read), chat=chat)
    await publish(reading, corpus, {name: [*texts, built(name.title())] for name in ("herald", "post", "echo")})
    report, questions = await generated(reading, corpus, ALL.model_copy(update={"language_model": wanted}))
    assert asked_of_aldra in questions
    assert {GAPPED.replace("Aldra", mill) for mill in ("Brin", "Corvo")} <= set(questions)
    # What the model calls unclear is no query, whoever worded it.
    assert (report.unclear, GAPPED.replace("Aldra", "Dovre") in questions) == ((1, False) if wanted else (0, True))
    assert report.model_calls == len(chat.calls)
    assert bool(chat.calls) == wanted


async def test_the_language_model_is_called_a_bounded_number_of_times(reading: Runtime, corpus: Corpus) -> None:
    chat = ScriptedChat("No.")
    await publish_mills(reading, corpus, *[f"{name}{number}" for name in ("Aldra", "Brin") for number in "abcd"])
    parameters = GenerationParameters(queries=1, language_model=True)
    report, questions = await generated(replace(reading, chat=chat), corpus, parameters)
    assert report.model_calls == len(chat.calls) == 5
    # Beyond them the rules decide alone.
    assert len(questions) == 1


async def test_a_language_model_that_is_not_there_is_said(reading: Runtime, corpus: Corpus) -> None:
    with pytest.raises(SettingsError, match="CREDENCE_CHAT_MODEL"):
        await query_generation.start(reading, corpus, GenerationParameters(language_model=True))
