"""Queries in the database."""

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora.model import Corpus
from registry.platform.errors import NotFound
from registry.queries import store as queries
from registry.queries.schemas import QueryInput, QueryPatch


async def test_a_query_is_replaced_by_its_external_id(session: AsyncSession, corpus: Corpus) -> None:
    first, created = await queries.create(session, corpus, QueryInput(text="Who?", external_id="q", gold_answers=["A"]))
    same, again = await queries.create(session, corpus, QueryInput(text="Who?", external_id="q", gold_answers=["A"]))
    changed, anew = await queries.create(session, corpus, QueryInput(text="What?", external_id="q"))
    assert (created, again, anew) == (True, False, False)
    assert first.id == same.id == changed.id
    assert (changed.text, changed.gold_answers) == ("What?", ["A"])
    patched = await queries.update(session, corpus, first.id, QueryPatch(active=False, gold_answers=["B"]))
    assert (patched.active, patched.gold_answers, patched.text) == (False, ["B"], "What?")
    assert not (await queries.page(session, corpus, cursor=None, limit=9, active=True)).items
    await queries.delete(session, corpus, first.id)
    with pytest.raises(NotFound):
        await queries.get(session, corpus, first.id)


async def test_the_same_text_without_an_external_id_is_the_same_query(session: AsyncSession, corpus: Corpus) -> None:
    first, created = await queries.create(session, corpus, QueryInput(text="Who built the mill?", gold_answers=["A"]))
    again, anew = await queries.create(session, corpus, QueryInput(text="Who built  the mill? "))
    other, new = await queries.create(session, corpus, QueryInput(text="Who burnt the mill?"))
    assert (created, anew, new) == (True, False, True)
    assert (again.id, again.gold_answers) == (first.id, ["A"])
    assert other.external_id != first.external_id
