"""Scores against real documents in a real database: whose passages, whose reliability, and what failures cost."""

from dataclasses import replace

import pytest

from answering.enums import JudgeKind
from answering.judges import Label
from answering.judges.language_model import UNREADABLE
from registry.conflict_scores import service as conflict_scores
from registry.conflict_scores.schemas import (
    ConflictAnswer,
    ConflictInput,
    ConflictParameters,
    ConflictScoreView,
    GivenDocument,
)
from registry.conflict_scores.service import MAX_CLAIMS
from registry.corpora.model import Corpus
from registry.platform.errors import InvalidInput, TooSlow
from registry.platform.providers import Judges
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.schemas import OverrideInput
from tests.fakes.scripted_chat import ChatCall, ScriptedChat
from tests.fakes.scripted_judge import ScriptedJudge
from tests.registry.conflict_scores.judges import SlowJudge, judged_by
from tests.registry.world import question


async def scored(runtime: Runtime, corpus: Corpus, response: str, **values: object) -> ConflictAnswer:
    asked = ConflictInput.model_validate({"response": response} | values)
    return await conflict_scores.score(runtime, corpus, asked)


async def test_the_corpus_is_searched_by_every_claim(world: Runtime, corpus: Corpus) -> None:
    response = "The tower of Aldra is painted red. The tower of Brin is painted blue."
    score = (await scored(world, corpus, response)).score
    aldra, brin = score.claims
    assert [claim.conflicting for claim in score.claims] == [True, False]
    assert {document.source for document in aldra.supporting} == {"Herald", "Gazette"}
    assert [(document.source, document.reliability) for document in aldra.contradicting] == [("Rumour", 0.4)]
    assert len(brin.supporting) == 3
    assert response[brin.start : brin.end] == "The tower of Brin is painted blue."
    assert score.cs_c == 0.5
    assert score.cs_r == pytest.approx(1 / 6)
    assert score.weighted_cs_c == pytest.approx(0.4 / 0.9 / 2)
    assert score.weighted_cs_r == pytest.approx(0.4 / 2.1 / 2)
    assert score.uncovered == 0
    assert score.documents == 3
    assert score.usage.judgements > 6


async def test_with_a_question_the_search_goes_by_it(world: Runtime, corpus: Corpus) -> None:
    (claim,) = (await scored(world, corpus, "purple", question=question("Aldra"))).score.claims
    assert claim.text == "What colour is the tower of Aldra painted? purple."
    assert ({document.source for document in claim.supporting}, len(claim.contradicting)) == ({"Rumour"}, 2)


def document(content: str, **values: object) -> GivenDocument:
    return GivenDocument.model_validate({"content": content, **values})


async def test_who_only_reports_a_claim_is_listed_and_not_counted(runtime: Runtime, corpus: Corpus) -> None:
    judge = ScriptedJudge(lambda pair: Label.REPORTS if "say" in pair.passage else Label.SUPPORTS)
    sent = [document("Some say it is red.", source="Rumour"), document("It is red.", source="Herald")]
    score = (await scored(judged_by(runtime, judge), corpus, "It is red.", documents=sent)).score
    (claim,) = score.claims
    assert [[item.source for item in side] for side in (claim.supporting, claim.reporting)] == [["Herald"], ["Rumour"]]
    assert (claim.irrelevant, score.cs_c, score.cs_r) == (0, 0, 0)
    stored = score.model_dump(mode="json")
    del stored["claims"][0]["reporting"]
    assert ConflictScoreView.model_validate(stored).claims[0].reporting == ()


async def test_a_language_model_gives_four_verdicts(runtime: Runtime, corpus: Corpus) -> None:
    said = {"Herald": "supports", "Mirror": "contradicts", "Rumour": "reports", "Poet": "irrelevant", "Mute": "perhaps"}

    def verdict(call: ChatCall) -> str:
        source = next(name for name in said if f"{name} speaks" in call.message)
        return f'{{"label": "{said[source]}", "quote": "{source} speaks"}}'

    sent = [document(f"{source} speaks.", source=source) for source in said]
    judged = replace(runtime, judges=Judges(ScriptedChat(verdict)))
    parameters = ConflictParameters(judge=JudgeKind.LANGUAGE_MODEL)
    score = (await scored(judged, corpus, "It is red.", documents=sent, parameters=parameters)).score
    (claim,) = score.claims
    sides = claim.supporting, claim.contradicting, claim.reporting
    assert [[(item.source, item.quote) for item in side] for side in sides] == [
        [(source, f"{source} speaks")] for source in ("Herald", "Mirror", "Rumour")
    ]
    assert (claim.irrelevant, score.cs_c, score.cs_r) == (2, 1, 0.5)
    assert score.notes == (f"Passages that count as irrelevant: 1. {UNREADABLE}",)
    assert score.usage.model_calls == 6


async def test_too_much_at_once_is_refused(world: Runtime, corpus: Corpus) -> None:
    with pytest.raises(InvalidInput, match="claims"):
        await scored(world, corpus, "\n".join(f"The tower {at} is red." for at in range(MAX_CLAIMS + 1)))
    response = "\n".join(f"The tower {at} is red." for at in range(MAX_CLAIMS))
    long = [document(" ".join(f"It is {number}." for number in range(6_000)))]
    with pytest.raises(InvalidInput, match="pairs of claims and passages"):
        await scored(world, corpus, response, documents=long)


async def test_a_slow_judge_is_not_waited_for(world: Runtime, corpus: Corpus) -> None:
    settings = world.settings.model_copy(update={"answer_timeout_seconds": 0.5})
    with pytest.raises(TooSlow, match="No score within"):
        await scored(replace(judged_by(world, SlowJudge()), settings=settings), corpus, "It is red.")


async def test_a_response_is_written_anew_and_scored_again(world: Runtime, corpus: Corpus) -> None:
    chat = ScriptedChat("Aldra is red to Herald, purple to Rumour. The tower of Brin is painted blue.")
    scoring = await scored(replace(world, chat=chat), corpus, "red", question=question("Aldra"), regenerate=True)
    assert scoring.score.cs_c == 1
    assert scoring.regenerated is not None
    assert scoring.regenerated.contested == 1
    assert scoring.regenerated.conflict_score is not None
    assert scoring.regenerated.conflict_score.cs_c == 0, "the judge of these tests does not see the first sentence"
    assert len(scoring.regenerated.conflict_score.claims) == 2
    assert scoring.regenerated.note is None
    message = chat.calls[0].message
    assert "- <passage>Rumour</passage> (reliability 0.40) says: <passage>By rumour." in message
    assert message.index("<passage>Herald</passage> (reliability 0.90)") < message.index("<passage>Rumour</passage>")


async def test_sources_whose_votes_would_weigh_nothing_take_no_part(world: Runtime, corpus: Corpus) -> None:
    async with world.database.begin() as session:
        rumour = await sources.find(session, corpus, "rumour")
        override = OverrideInput(reliability=0.2, reason="known")
        await sources.set_override(session, corpus, rumour.id, override, created_by="test")
    text = "The tower of Aldra is painted purple."
    found = (await scored(world, corpus, "The tower of Aldra is painted red.")).score
    assert {item.source for claim in found.claims for item in (*claim.supporting, *claim.contradicting)} == {
        "Herald",
        "Gazette",
    }
    sent = [document(text, source="rumour"), document(text, source="Stranger"), document(text, source="rumour")]
    given = (await scored(world, corpus, "red", question=question("Aldra"), documents=sent)).score
    assert [item.source for item in given.claims[0].contradicting] == ["Stranger"]
    assert given.claims[0].contradicting[0].document_external_id == "2"
    assert sum("left out" in note and "Rumour" in note for note in given.notes) == 1
    own = [document(text, source="rumour", reliability=0.9)]
    as_told = (await scored(world, corpus, "red", question=question("Aldra"), documents=own)).score
    assert [item.reliability for item in as_told.claims[0].contradicting] == [0.9]


async def test_the_least_reliability_may_be_raised(world: Runtime, corpus: Corpus) -> None:
    parameters = ConflictParameters(least_reliability=0.85)
    sent = [document("The tower of Aldra is painted pink.", source=name) for name in ("herald", "gazette", "rumour")]
    asked = {"question": question("Aldra"), "parameters": parameters}
    given = (await scored(world, corpus, "red", documents=sent, **asked)).score
    assert [item.source for item in given.claims[0].contradicting] == ["Herald"]
    found = (await scored(world, corpus, "red", **asked)).score
    assert [item.source for item in found.claims[0].supporting] == ["Herald"]
    assert not found.claims[0].contradicting
