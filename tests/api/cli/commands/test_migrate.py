"""`credence migrate`, `backup` and `restore`, and commands that meet a schema they do not know."""

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from pydantic import SecretStr
from sqlalchemy.engine import URL

from answering.embedders import Embedder, EmbedderKind
from migrations import control
from registry.platform.database.engine import libpq_url, resolve_url
from registry.platform.settings import Settings
from tests.api.cli.conftest import Credence
from tests.fakes.openai_server import FakeOpenAIServer
from tests.registry.world import honest


@pytest.fixture
def empty(new_database: Callable[[], URL], embedder: Embedder, tmp_path: Path) -> Credence:
    """The command on a database without a schema."""
    url = libpq_url(new_database())
    return Credence(Settings(database_url=SecretStr(url), data_dir=tmp_path), embedder, None)


def test_the_schema_goes_up_and_down(empty: Credence) -> None:
    assert empty("migrate", "current", "--json").document == {
        "revision": None,
        "head": control.head(),
        "current": False,
        "oldest_code": None,
    }
    assert "no schema yet" in empty.refused("migrate", "current")
    assert f"from empty to {control.head()}" in empty.done("migrate", "upgrade").out
    assert "was at" in empty.done("migrate", "upgrade").out
    assert empty.done("migrate", "current").out == f"{control.head()} (current)\n"
    assert "to empty" in empty.done("migrate", "downgrade", "base").out
    assert "no schema yet" in empty.refused("migrate", "current")


def test_passages_are_embedded_anew_once_nobody_else_uses_the_database(empty: Credence) -> None:
    assert "no schema yet" in empty.refused("embed")
    empty.done("migrate", "upgrade")
    with psycopg.connect(libpq_url(resolve_url(empty.settings))):
        assert "Stop the service and its workers" in empty.refused("embed")
    assert "Nothing was to be done" in empty.done("embed").out
    empty.build({"herald": honest()})
    with FakeOpenAIServer() as server:
        other = {"embedding_url": server.url, "embedding_model": "fake", "embedding_dimension": 8}
        empty.settings = empty.settings.model_copy(update={"embedder": EmbedderKind.OPENAI, **other})
        assert "passages were embedded by openai" in empty.done("embed").out
        assert "Nothing was to be done" in empty.done("embed").out


@pytest.mark.parametrize("command", [("sources",), ("serve", "--port", "0")])
def test_commands_on_an_old_schema_say_what_to_run(empty: Credence, command: tuple[str, ...]) -> None:
    assert "Run `credence migrate upgrade`" in empty.refused(*command)


def test_a_schema_from_the_future_is_not_touched(empty: Credence) -> None:
    empty.done("migrate", "upgrade")
    assert empty.settings.database_url is not None
    with psycopg.connect(empty.settings.database_url.get_secret_value(), autocommit=True) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.execute("UPDATE schema_compatibility SET oldest_code = '9998'")
    assert "Install a newer Credence" in empty.refused("sources")
    assert "9999" in empty.refused("migrate", "upgrade")


def test_an_unreachable_server_is_said_with_the_reason(empty: Credence) -> None:
    nowhere = SecretStr("postgresql://nobody@127.0.0.1:1/nothing")
    empty.settings = empty.settings.model_copy(update={"database_url": nowhere})
    for command in ("upgrade", "current", "check"):
        assert "Connection refused" in empty.refused("migrate", command)


def test_what_was_backed_up_is_there_once_it_is_restored(
    credence: Credence, new_database: Callable[[], URL], embedder: Embedder, tmp_path: Path
) -> None:
    credence.done("sources", "add", "Herald")
    path = str(tmp_path / "credence.backup")
    assert "rows of" in credence.done("backup", path).out
    assert "is whole" in credence.done("restore", path, "--check").out
    assert "--replace" in credence.refused("restore", path)
    url = SecretStr(libpq_url(new_database()))
    other = Credence(Settings(database_url=url, data_dir=tmp_path), embedder, None)
    assert "all checksums agree" in other.done("restore", path).out
    assert "Herald" in other.done("sources").out
    assert "no backup" in other.refused("restore", __file__)
