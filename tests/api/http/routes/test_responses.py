"""Responses by OpenAI's own client."""

import httpx
import openai
import pytest

from tests.api.http.conftest import CORPUS
from tests.api.http.routes.test_chat_completions import MODEL, sdk, towers
from tests.registry.world import question

__all__ = ["sdk", "towers"]  # fixtures


@pytest.mark.usefixtures("towers")
async def test_a_response_has_text_and_links(sdk: openai.AsyncOpenAI, client: httpx.AsyncClient) -> None:
    response = await sdk.responses.create(model=MODEL, input=question("Aldra"), instructions="Be brief.")
    assert response.status == "completed"
    assert response.output_text.startswith("**red**\n")
    (message,) = response.model_dump()["output"]
    urls = [annotation["url"] for annotation in message["content"][0]["annotations"]]
    assert "https://herald.example/aldra" in urls
    assert response.usage is not None
    answer_id = (response.model_extra or {})["credence"]["answer_id"]
    assert (await client.get(f"{CORPUS}/answers/{answer_id}")).json()["result"]["answers"] == ["red"]


@pytest.mark.usefixtures("towers")
async def test_a_conversation_goes_on_from_a_response(sdk: openai.AsyncOpenAI) -> None:
    first = await sdk.responses.create(model=MODEL, input=question("Aldra"))
    second = await sdk.responses.create(model=MODEL, input="What about Brin?", previous_response_id=first.id)
    assert "**blue**" in second.output_text
    for unknown in ("resp_1", f"resp_{'0' * 32}"):
        with pytest.raises(openai.NotFoundError):
            await sdk.responses.create(model=MODEL, input="And Brin?", previous_response_id=unknown)


@pytest.mark.usefixtures("towers")
async def test_a_streamed_response_builds_the_same(sdk: openai.AsyncOpenAI) -> None:
    whole = await sdk.responses.create(model=MODEL, input=question("Aldra"))
    parts = [{"type": "input_text", "text": question("Aldra")}]
    items = [{"type": "item_reference", "id": "msg_1"}, {"role": "user", "content": parts}]
    async with sdk.responses.stream(model=MODEL, input=items) as stream:  # type: ignore[arg-type]  # plain dicts
        kinds = [event.type async for event in stream]
        final = await stream.get_final_response()
    assert (kinds[0], kinds[-1]) == ("response.created", "response.completed")
    assert "response.output_text.annotation.added" in kinds
    assert final.output_text == whole.output_text


@pytest.mark.usefixtures("towers")
async def test_a_conversation_that_is_not_to_be_stored_leaves_no_query(
    sdk: openai.AsyncOpenAI, client: httpx.AsyncClient
) -> None:
    messages = [{"role": "user", "content": question("Aldra")}]
    for store, kept in ((False, 0), (None, 1)):
        await sdk.responses.create(model=MODEL, input=question("Brin"), store=store)
        assert len((await client.get(f"{CORPUS}/queries")).json()["items"]) == kept
    for store, kept in ((False, 1), (None, 2)):
        await sdk.chat.completions.create(model=MODEL, messages=messages, store=store)  # type: ignore[arg-type]
        assert len((await client.get(f"{CORPUS}/queries")).json()["items"]) == kept


async def test_failures_name_the_input(sdk: openai.AsyncOpenAI) -> None:
    with pytest.raises(openai.UnprocessableEntityError) as blank:
        await sdk.responses.create(model=MODEL, input=" ")
    assert blank.value.param == "input"
