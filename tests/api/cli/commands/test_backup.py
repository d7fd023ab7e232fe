"""`credence backup` and `credence restore`."""

from collections.abc import Callable
from pathlib import Path

from pydantic import SecretStr
from sqlalchemy.engine import URL

from answering.embedders import Embedder
from registry.platform.database.engine import libpq_url
from registry.platform.settings import Settings
from tests.api.cli.conftest import Credence


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
