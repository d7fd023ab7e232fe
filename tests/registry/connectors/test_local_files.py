"""Nothing outside of the folder that an operator opened is read, whatever is put there and whenever."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from registry.connectors import local_files
from registry.connectors import service as connectors
from registry.connectors.kinds import Kind
from registry.connectors.local_files import LocalFiles
from registry.connectors.schemas import ConnectorInput
from registry.connectors.service import refuse_other_files
from registry.corpora.model import Corpus
from registry.platform.errors import InvalidInput
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.registry.connectors.keeping import make, stored
from tests.tables import for_each

SECRET = "secret"


@pytest.fixture
def opened(tmp_path: Path) -> Path:
    """The folder that is open, with a source in it and a secret beside it."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a.txt").write_text(SECRET)
    (tmp_path / "open/press").mkdir(parents=True)
    (tmp_path / "open/press/a.txt").write_text("public")
    return tmp_path / "open"


@pytest.fixture(params=["kernel", "steps"], autouse=True)
def resolution(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With the call of Linux, and without it."""
    if request.param == "steps":
        monkeypatch.setattr(local_files, "_OPENAT2", 100_000)
    return str(request.param)


def files(path: Path, settings: Settings, opened: Path) -> LocalFiles:
    return LocalFiles(path, settings.model_copy(update={"connector_folder": opened}))


def read(found: LocalFiles, name: str = "") -> bytes:
    with found.open(name) as file:
        return file.read()


def test_files_in_the_folder_are_read(opened: Path, settings: Settings, resolution: str) -> None:
    (opened / "press/link.txt").symlink_to("a.txt")
    (opened / "press/.hidden").write_text("")
    press = files(opened / "press", settings, opened)
    assert list(press.names()) == (["a.txt", "link.txt"] if resolution == "kernel" else ["a.txt"])
    assert read(press, "a.txt") == read(files(opened / "press/a.txt", settings, opened)) == b"public"
    assert press.version("a.txt").startswith("6:")


@for_each("name", ["../../outside/a.txt", "/etc/passwd", "link.txt", "folder/a.txt", "pipe"])
def test_nothing_outside_is_read(opened: Path, settings: Settings, name: str) -> None:
    press = opened / "press"
    if not (press / "pipe").exists():
        (press / "link.txt").symlink_to(opened.parent / "outside/a.txt")
        (press / "folder").symlink_to(opened.parent / "outside")
        os.mkfifo(press / "pipe")
    found = files(press, settings, opened)
    assert list(found.names()) == ["a.txt"]
    with pytest.raises(OSError, match=r".+"):
        read(found, name)


def test_a_folder_that_becomes_a_link_after_the_check_leads_nowhere(opened: Path, settings: Settings) -> None:
    folder, single = files(opened / "press", settings, opened), files(opened / "press/a.txt", settings, opened)
    assert list(folder.names()) == ["a.txt"]
    (opened / "press").rename(opened / "before")
    (opened / "press").symlink_to(opened.parent / "outside")
    for found, name in (folder, "a.txt"), (single, ""):
        with pytest.raises(OSError, match=r".+"):
            read(found, name)
    with pytest.raises(OSError, match=r".+"):
        list(folder.names())


@for_each("name", ["press", "press/a.txt"])
def test_a_path_that_leads_into_the_folder_through_a_link_is_refused_always(
    opened: Path, settings: Settings, name: str
) -> None:
    """When the connector is made, and in every run, wherever the link leads by then."""
    alias = opened.parent / f"alias of {name.replace('/', ' ')}"
    values = ConnectorInput(name="x", kind=Kind("folder"), config={"path": str(alias / name), "source": "Press"})
    opening = settings.model_copy(update={"connector_folder": opened})
    for target in opened, opened.parent / "outside":
        alias.symlink_to(target)
        with pytest.raises(InvalidInput, match="through a link"):
            refuse_other_files(values, opening)
        with pytest.raises(OSError, match="not in the folder of CREDENCE_CONNECTOR_FOLDER"):
            read(LocalFiles(alias / name, opening), "" if name.endswith(".txt") else "a.txt")
        alias.unlink()


def test_a_folder_above_that_becomes_a_link_leads_nowhere_not_even_into_the_folder(
    opened: Path, settings: Settings
) -> None:
    """A neighbour in the folder is another source, maybe of another corpus."""
    (opened / "mine").mkdir()
    (opened / "mine/press").mkdir()
    found = files(opened / "mine/press", settings, opened)
    assert list(found.names()) == []
    (opened / "mine/press").rmdir()
    (opened / "mine").rmdir()
    for target in opened, opened.parent:
        (opened / "mine").symlink_to(target)
        with pytest.raises(OSError, match=r".+"):
            list(found.names())
        (opened / "mine").unlink()
    (opened / "neighbour").mkdir()
    (opened / "neighbour/b.txt").write_text(SECRET)
    (opened / "press/b.txt").symlink_to("../neighbour/b.txt")
    assert list(files(opened / "press", settings, opened).names()) == ["a.txt"]


async def test_a_row_that_no_check_saw_reads_nothing_outside(runtime: Runtime, corpus: Corpus, opened: Path) -> None:
    """Such as one of a forged backup, or of before the folder was set."""
    runtime = replace(runtime, settings=runtime.settings.model_copy(update={"connector_folder": opened}))
    outside = await make(runtime, corpus, "folder", path=str(opened.parent / "outside"), source="Press")
    ended = await connectors.run_now(runtime, outside.id)
    assert ended.problem is not None
    assert "not in the folder of CREDENCE_CONNECTOR_FOLDER" in ended.problem["detail"]
    assert await stored(runtime) == {}


def test_a_link_that_an_operator_names_on_the_command_line_is_followed(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/a.txt").write_text("public")
    (tmp_path / "link").symlink_to("data")
    assert read(LocalFiles(tmp_path / "link", settings), "a.txt") == b"public"
