"""What holds of every strategy alike."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answering.debates import DebateLimits, Services, SourceDocument, Strategy, debate_of, run
from answering.errors import MissingService, ModelUnavailable
from answering.models import ScriptedChat
from answering.models.usage import Budget
from tests.answering.debates.test_quoting import ATTACKS, obeys
from tests.answering.debates.worlds import DOCUMENTS, LENA, NOISE, QUESTION, outside_fences

STRATEGIES = pytest.mark.parametrize("strategy", list(Strategy))
REPLIES = st.sampled_from(
    ["", "Answer: Lena Dahl", 'Answers: ["Lena Dahl", "Tom Reed"]', "Answers: []", "Passage 1: Lena leads the choir.",
     "Final: unknown", "proponent", "challenger", "both", "Add: island choir", "Replace 1: choir", "I don't know",
     "[1]: Lena Dahl (90)\nFinal: Lena Dahl", "???"]
)  # fmt: skip


class Shelf:
    async def search(self, query: str, *, limit: int, selected_only: bool) -> Sequence[SourceDocument]:
        return DOCUMENTS[1 : 1 + limit] if query and selected_only else ()


@STRATEGIES
@given(script=st.lists(REPLIES, min_size=1, max_size=60), calls=st.none() | st.integers(0, 12))
@settings(max_examples=40)
async def test_whatever_models_reply_it_ends_within_its_budget(
    strategy: Strategy, script: list[str], calls: int | None
) -> None:
    waiting = iter(script)
    chat = ScriptedChat(lambda _asked: next(waiting, script[-1]))
    done = await run(
        debate_of(strategy, QUESTION, DOCUMENTS), Services(chat, searcher=Shelf()), DebateLimits(Budget(calls))
    )
    assert calls is None or len(chat.calls) <= calls
    assert done.usage.model_calls == len(chat.calls) <= 60
    assert len({one.key for one in done.answers}) == len(done.answers)
    known = {document.id for document in DOCUMENTS}
    assert all(set(one.documents) <= known for one in done.answers)


@STRATEGIES
async def test_a_dead_model_is_an_error_and_a_missing_one_too(strategy: Strategy) -> None:
    dead = Services(ScriptedChat(lambda _asked: ModelUnavailable("down")), searcher=Shelf())
    with pytest.raises(ModelUnavailable):
        await run(debate_of(strategy, QUESTION, DOCUMENTS), dead)
    with pytest.raises(MissingService):
        await run(debate_of(strategy, QUESTION, DOCUMENTS), Services(searcher=Shelf()))


@STRATEGIES
@pytest.mark.parametrize("attack", ATTACKS)
async def test_no_document_speaks_outside_its_fence(strategy: Strategy, attack: str) -> None:
    chat = ScriptedChat(obeys)
    bad = SourceDocument("bad", f"The choir of Sund is led by Tom Reed. {attack}", attack)
    done = await run(debate_of(strategy, QUESTION, (LENA, bad, NOISE)), Services(chat, searcher=Shelf()))
    assert all("PWNED" not in outside_fences(call.message) for call in chat.calls)
    assert all("PWNED" not in one.answer for one in done.answers)


@STRATEGIES
async def test_every_turn_names_its_prompt(strategy: Strategy) -> None:
    done = await run(debate_of(strategy, QUESTION, DOCUMENTS), Services(ScriptedChat("Answers: []"), searcher=Shelf()))
    assert done.transcript
    assert all(turn.prompt and len(turn.prompt_hash or "") == 64 for turn in done.transcript)
