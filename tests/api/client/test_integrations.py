"""The retrievers of frameworks on a running service; each test runs where its framework is installed."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from api.client import AsyncClient, Client, calls
from registry.documents.schemas import DocumentLine
from registry.keys.schemas import KeyInput, Scope
from tests.registry.world import question

DOCUMENTATION = Path(__file__).parents[3] / "docs" / "clients.md"
LONG = "It stands on the cliff above the old harbour, where ferries from the mainland arrive every morning and evening."
RED = f"The tower of Aldra is painted red. {LONG}"
TEXTS = {"Herald": RED, "Mirror": RED.replace("every", "Every"), "Rumour": "The tower of Aldra is painted purple."}
OF_A_PASSAGE = {
    "source", "source_id", "reliability", "lower", "upper", "relevance", "title", "url", "published_at", "document_id",
}  # fmt: skip


def needs(module: str, extra: str) -> pytest.MarkDecorator:
    missing = find_spec(module.partition(".")[0]) is None
    return pytest.mark.skipif(missing, reason=f"needs the extra {extra}: `pip install -e '.[{extra}]'`")


@pytest.fixture
def world(live: str) -> str:
    """A service with two copies of one text and one source that says otherwise."""
    lines = [
        DocumentLine.model_validate(
            {
                "source": source,
                "external_id": "a",
                "title": "Aldra",
                "content": content,
                "url": f"https://{source.lower()}.example/a",
                "published_at": "2026-05-04",
            }
        )
        for source, content in TEXTS.items()
    ]
    with Client(live) as client:
        client.import_lines(calls.send_documents(lines))
    return live


@pytest.fixture
def key(world: str) -> str:
    """A key of the service."""
    with Client(world) as client:
        return client.send(
            calls.create_key(KeyInput(name="retriever", scopes=frozenset([Scope.READ, Scope.ASK])))
        ).secret


def run_snippet(heading: str, url: str, key: str) -> dict[str, Any]:
    """The variables of the snippet of the documentation, run with the service at this address and a key of it."""
    section = DOCUMENTATION.read_text(encoding="utf-8").partition(f"## {heading}\n")[2]
    names: dict[str, Any] = {}
    code = section.partition("```python\n")[2].partition("```")[0]
    exec(code.replace("http://127.0.0.1:8000", url).replace("crd_...", key), names)  # noqa: S102
    return names


def check_passages(passages: list[dict[str, Any]], texts: list[str]) -> None:
    """That copies are one passage, and that everything is told that is known of it."""
    assert len(passages) == 2
    (found,) = (passage for passage in passages if passage["copies"])
    assert texts[passages.index(found)] == TEXTS[found["source"]]
    assert found.keys() - {"score"} == OF_A_PASSAGE | {"independent_sources", "copies"}
    assert {found["source"], *found["copies"]} == {"Herald", "Mirror"}
    assert (found["independent_sources"], found["published_at"]) == (2, "2026-05-04T00:00:00+00:00")
    assert found["url"] == f"https://{found['source'].lower()}.example/a"
    assert 0 < found["relevance"] <= 1


@needs("langchain_core", "langchain")
async def test_a_retriever_of_langchain(world: str, key: str) -> None:
    from langchain_core.runnables import RunnableLambda  # noqa: PLC0415  (only where it is installed)

    from api.client.integrations.langchain import CredenceRetriever  # noqa: PLC0415

    with Client(world) as client:
        async with AsyncClient(world) as async_client:
            retriever = CredenceRetriever(client=client, k=2)
            documents = retriever.invoke(question("Aldra"))
            assert documents == await retriever.ainvoke(question("Aldra"))
            asynchronous = CredenceRetriever(client=client, async_client=async_client, k=2)
            assert documents == await asynchronous.ainvoke(question("Aldra"))
        count: Callable[[list[object]], int] = len
        chain = CredenceRetriever(client=client, search={"sources": ["Rumour"]}) | RunnableLambda(count)
        assert chain.invoke(question("Aldra")) == 1
    check_passages([document.metadata for document in documents], [document.page_content for document in documents])
    assert len({document.id for document in documents}) == 2
    assert run_snippet("LangChain", world, key)["document"].page_content


@needs("llama_index", "llamaindex")
async def test_a_retriever_and_a_query_engine_of_llamaindex(world: str, key: str) -> None:
    from api.client.integrations.llamaindex import CredenceQueryEngine, CredenceRetriever  # noqa: PLC0415

    with Client(world) as client:
        nodes = CredenceRetriever(client, similarity_top_k=2).retrieve(question("Aldra"))
        again = await CredenceRetriever(client, similarity_top_k=2).aretrieve(question("Aldra"))
        assert [node.node_id for node in nodes] == [node.node_id for node in again]
        response = CredenceQueryEngine(client).query(question("Aldra"))
        assert str(await CredenceQueryEngine(client).aquery(question("Aldra"))) == str(response)
        nothing = CredenceQueryEngine(client).query("Who is the mayor of Esk?")
    check_passages([node.metadata for node in nodes], [node.text for node in nodes])
    assert str(response) == "red"
    assert response.metadata["outcome"] == "answered"
    assert 0.5 < response.metadata["confidence"] < 1
    assert [dissent["answer"] for dissent in response.metadata["dissent"]] == ["purple"]
    assert {node.metadata["source"] for node in response.source_nodes} == {"Herald", "Mirror"}
    assert response.source_nodes[0].metadata.keys() == OF_A_PASSAGE | {"answer"}
    assert response.source_nodes[0].metadata["url"].startswith("https://")
    assert response.source_nodes[0].text == "The tower of Aldra is painted red."
    assert str(nothing) != "None"
    assert run_snippet("LlamaIndex", world, key)["nodes"]
    assert nothing.metadata["outcome"] in {"unsupported", "no_evidence"}


@needs("haystack", "haystack")
async def test_a_component_of_haystack(world: str, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")
    monkeypatch.setenv("CREDENCE_KEY", key)
    from haystack import Pipeline  # noqa: PLC0415  (only where it is installed)
    from haystack.utils import Secret  # noqa: PLC0415

    from api.client.integrations.haystack import CredenceRetriever  # noqa: PLC0415

    made = Pipeline()
    made.add_component("retriever", CredenceRetriever(world, Secret.from_env_var("CREDENCE_KEY"), top_k=2))
    pipeline = Pipeline.loads(made.dumps(), allowed_modules=["api.client.integrations.haystack"])
    documents = pipeline.run({"retriever": {"query": question("Aldra")}})["retriever"]["documents"]
    again = await pipeline.run_async({"retriever": {"query": question("Aldra")}})
    assert again["retriever"]["documents"] == documents
    pipeline.close()
    retriever = CredenceRetriever(world, top_k=2)
    restricted = retriever.run(question("Aldra"), search={"sources": ["Rumour"]})["documents"]
    retriever.close()
    check_passages([document.meta for document in documents], [document.content for document in documents])
    assert [document.meta["source"] for document in restricted] == ["Rumour"]
    ran = run_snippet("Haystack", world, key)
    assert ran["found"]
    ran["pipeline"].close()
