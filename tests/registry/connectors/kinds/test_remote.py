"""Files of a file system of fsspec: that in memory, which behaves as an object store does."""

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from registry.connectors import service as connectors
from registry.connectors.schemas import ConnectorInput
from registry.corpora.model import Corpus
from registry.platform.errors import InvalidInput
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.registry.connectors.keeping import counts, make, run, stored

fsspec = pytest.importorskip("fsspec", reason="other file systems need the extra `fsspec`")


@pytest.fixture
def bucket() -> Iterator[Any]:
    files = fsspec.filesystem("memory")
    yield files
    files.store.clear()


async def test_files_are_followed(local: Runtime, corpus: Corpus, bucket: Any) -> None:  # noqa: ANN401  (fsspec's)
    for name, content in {
        "Herald/red.md": b"The tower is red.",
        "Herald/2026/blue.html": b"<p>The tower is blue.</p>",
        "Herald/.hidden/notes.md": b"hidden",
        "Gazette/picture.png": b"\x89PNG",
        "Gazette/large.txt": b"x" * 200_000,
        "loose.md": b"The tower is nobody's.",
    }.items():
        bucket.pipe(f"/press/{name}", content)
    bucket.pipe("/presses/Herald/other.md", b"Elsewhere.")
    connector = await make(local, corpus, "remote", url="memory://press")
    report = await run(local, connector)
    assert counts(report) == (2, 0, 0, 0, 0)
    assert sorted(problem.location for problem in report.problems) == ["Gazette/large.txt", "loose.md"]
    assert (await stored(local)).keys() == {("Herald", "red.md"), ("Herald", "2026/blue.html")}
    assert (await run(local, connector)).not_modified == 2
    bucket.pipe("/press/Herald/red.md", b"The tower is yellow.")
    bucket.rm("/press/Herald/2026/blue.html")
    assert counts(await run(local, connector)) == (0, 1, 0, 0, 1)
    bucket.rm("/press", recursive=True)
    done = await connectors.run_now(local, connector.id)
    assert (done.status, done.problem) == ("failed", {"detail": "There is nothing at memory://press."})
    assert (await stored(local))["Herald", "red.md"].content == "The tower is yellow."


async def test_what_cannot_be_opened_is_said(runtime: Runtime, corpus: Corpus) -> None:
    connector = await make(runtime, corpus, "remote", url="nonsense://bucket")
    done = await connectors.run_now(runtime, connector.id)
    assert "nonsense" in done.problem["detail"]  # type: ignore[index]  # it failed


def test_only_other_file_systems_are_read_and_only_from_the_command_line(common_settings: Settings) -> None:
    for url, why in (
        ("/etc", "must begin with one protocol"),
        ("simplecache::s3://a", "must begin with one protocol"),
        ("file:///etc", "`folder`"),
    ):
        with pytest.raises(ValidationError, match=why):
            ConnectorInput.model_validate({"name": "x", "kind": "remote", "config": {"url": url}})
    values = ConnectorInput.model_validate({"name": "x", "kind": "remote", "config": {"url": "s3://bucket"}})
    with pytest.raises(InvalidInput, match="command line only"):
        connectors.refuse_other_files(values, common_settings)
