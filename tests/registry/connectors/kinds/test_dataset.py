"""Datasets of the Hugging Face Hub, of which a file system in memory stands in."""

import io
from collections.abc import Iterator
from typing import Any

import pytest

from registry.connectors.kinds import dataset
from registry.corpora.model import Corpus
from registry.runtime import Runtime
from tests.registry.connectors.keeping import counts, make, run, stored

fsspec = pytest.importorskip("fsspec", reason="datasets of the Hub need the extra `huggingface`")
pyarrow = pytest.importorskip("pyarrow", reason="datasets of the Hub need the extra `huggingface`")

SPLIT = "/datasets/press/towers@refs/convert/parquet/default/train"


def parquet(*texts: str) -> bytes:
    from pyarrow import parquet  # noqa: PLC0415

    written = io.BytesIO()
    rows = [{"site": "Herald", "url": f"https://herald.com/{text.split()[-1]}", "text": text} for text in texts]
    parquet.write_table(pyarrow.Table.from_pylist(rows), written)
    return written.getvalue()


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    files = fsspec.filesystem("memory")
    monkeypatch.setattr(dataset, "hub", lambda: files)
    yield files
    files.store.clear()


async def test_rows_of_a_split_are_followed(runtime: Runtime, corpus: Corpus, hub: Any) -> None:  # noqa: ANN401
    hub.pipe(f"{SPLIT}/0000.parquet", parquet("The tower is red", "The tower is old"))
    hub.pipe(f"{SPLIT}/0001.parquet", b"broken")
    hub.pipe(SPLIT.replace("train", "test") + "/0000.parquet", parquet("The tower is tall"))
    columns = {"source": "site", "content": "text"}
    connector = await make(runtime, corpus, "dataset", dataset="press/towers", columns=columns, sync=True)
    report = await run(runtime, connector)
    assert (counts(report), report.failed) == ((2, 0, 0, 0, 0), 1)
    assert {name for _, name in await stored(runtime)} == {"https://herald.com/red", "https://herald.com/old"}
    hub.pipe(f"{SPLIT}/0001.parquet", parquet("The tower is wide"))
    report = await run(runtime, connector)
    assert (counts(report), report.not_modified) == ((1, 0, 0, 0, 0), 1)
    hub.pipe(f"{SPLIT}/0000.parquet", parquet("The tower is red"))
    assert counts(await run(runtime, connector)) == (0, 0, 1, 0, 1)
