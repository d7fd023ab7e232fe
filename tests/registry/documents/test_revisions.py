"""Former revisions of documents."""

import asyncio
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from uuid import UUID

import pytest
from sqlalchemy import func, select

from registry.corpora.model import Corpus
from registry.documents import store as documents
from registry.documents.model import DocumentRevision
from registry.documents.schemas import DocumentInput, RevisionInList
from registry.documents.service import ingest
from registry.documents.store import revisions
from registry.jobs import housekeeping
from registry.platform.errors import RevisionNotKept
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source
from registry.viewers.model import ALL_SEEING, Viewer


async def sent(runtime: Runtime, corpus: Corpus, source: Source, content: str, **fields: object) -> UUID:
    document = DocumentInput.model_validate({"external_id": "a", "content": content} | fields)
    return (await ingest(runtime, corpus, source.id, [document]))[0].document_id


async def history(
    runtime: Runtime, corpus: Corpus, document_id: UUID, viewer: Viewer = ALL_SEEING
) -> list[RevisionInList]:
    async with runtime.database.begin() as session:
        document, _ = await documents.find(session, corpus, document_id)
        return await revisions.history(session, document, viewer)


async def contents(
    runtime: Runtime, corpus: Corpus, document_id: UUID, viewer: Viewer = ALL_SEEING
) -> dict[int, str | None]:
    """By revision, up to the current one, its text; None where it cannot be read."""
    found = dict[int, str | None]()
    async with runtime.database.begin() as session:
        document, _ = await documents.find(session, corpus, document_id)
        for number in range(1, document.revision + 1):
            try:
                found[number] = (await revisions.get(session, document, number, viewer)).content
            except RevisionNotKept as error:
                assert f"'{number}'" in str(error)  # noqa: PT017  (most numbers raise nothing)
                found[number] = None
    return found


async def count(runtime: Runtime) -> int:
    async with runtime.database.begin() as session:
        return await session.scalar(select(func.count()).select_from(DocumentRevision)) or 0


async def test_an_update_keeps_what_was_there_and_says_what_changed(
    runtime: Runtime, corpus: Corpus, source: Source
) -> None:
    document_id = await sent(runtime, corpus, source, "In Oslo.", title="News")
    for _ in range(2):
        assert await sent(runtime, corpus, source, "In Bergen.", title="News") == document_id
    await sent(runtime, corpus, source, "In Bergen.", title="Old news", attributes={"kind": "letter"})
    first, second, third = await history(runtime, corpus, document_id)
    assert [each.changed for each in (first, second, third)] == [None, ("content",), ("title", "attributes")]
    assert (first.title, third.title, third.replaced_at) == ("News", "Old news", None)
    assert (first.replaced_at, second.replaced_at) == (second.stored_at, third.stored_at)
    assert first.stored_at < second.stored_at < third.stored_at
    assert await contents(runtime, corpus, document_id) == {1: "In Oslo.", 2: "In Bergen.", 3: "In Bergen."}


async def test_as_many_former_revisions_are_kept_as_the_setting_says(
    runtime: Runtime, corpus: Corpus, source: Source
) -> None:
    def keeping(kept: int) -> Runtime:
        return replace(runtime, settings=runtime.settings.model_copy(update={"keep_revisions": kept}))

    document_id = await sent(keeping(2), corpus, source, "Text 1.")
    for number in range(2, 6):
        await sent(keeping(2), corpus, source, f"Text {number}.")
    assert await contents(runtime, corpus, document_id) == {
        1: None, 2: None, 3: "Text 3.", 4: "Text 4.", 5: "Text 5."
    }  # fmt: skip
    # Fewer are kept from now on, of documents that are not written again too.
    assert await housekeeping.clean(keeping(2)) == {}
    assert await housekeeping.clean(keeping(1)) == {"document_revisions": 1}
    assert [each.revision for each in await history(runtime, corpus, document_id)] == [4, 5]
    await sent(keeping(0), corpus, source, "Text 6.")
    assert await count(runtime) == 0
    assert await contents(runtime, corpus, document_id) == dict.fromkeys(range(1, 6)) | {6: "Text 6."}


async def test_writers_at_the_same_time_lose_no_revision(runtime: Runtime, corpus: Corpus, source: Source) -> None:
    runtime = replace(runtime, settings=runtime.settings.model_copy(update={"keep_revisions": 20}))
    texts = [f"Text {number % 6}." for number in range(12)]
    (document_id,) = set(await asyncio.gather(*(sent(runtime, corpus, source, text) for text in texts)))
    kept = list((await contents(runtime, corpus, document_id)).values())
    assert set(kept) == set(texts)
    # What was stored already was not stored once more.
    assert all(before != after for before, after in pairwise(kept))
    assert max(Counter(kept).values()) <= 2


async def test_a_revision_is_for_those_who_see_it_and_the_document(
    runtime: Runtime, corpus: Corpus, source: Source
) -> None:
    legal, board = Viewer(frozenset({"legal"})), Viewer(frozenset({"board"}))
    await sent(runtime, corpus, source, "For legal.", allowed_groups=["legal"])
    await sent(runtime, corpus, source, "For both.", allowed_groups=["legal", "board"])
    document_id = await sent(runtime, corpus, source, "For all.")
    assert await contents(runtime, corpus, document_id, legal) == {1: "For legal.", 2: "For both.", 3: "For all."}
    assert await contents(runtime, corpus, document_id, board) == {1: None, 2: "For both.", 3: "For all."}
    assert [each.changed for each in await history(runtime, corpus, document_id, board)] == [
        None,
        ("content", "allowed_groups"),
    ]
    assert await contents(runtime, corpus, document_id, Viewer(frozenset())) == {1: None, 2: None, 3: "For all."}


@pytest.mark.parametrize("whole_source", [False, True])
async def test_revisions_are_deleted_with_their_document(
    runtime: Runtime, corpus: Corpus, source: Source, whole_source: bool
) -> None:
    await sent(runtime, corpus, source, "One.")
    document_id = await sent(runtime, corpus, source, "Two.")
    assert await count(runtime) == 1
    async with runtime.database.begin() as session:
        if whole_source:
            await sources.delete(session, corpus, source.id)
        else:
            await documents.delete(session, corpus, source.id, document_id)
    assert await count(runtime) == 0
