"""DATABASE_URL with TLS: what libpq's own parameters ask for is what happens, for every connection."""

import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import trustme
from sqlalchemy import text
from sqlalchemy.engine import URL

from answering.embedders import Embedder
from migrations.control import check_schema
from registry.platform.database.engine import Database, libpq_url
from registry.platform.errors import DatabaseUnavailable
from registry.platform.settings import Settings
from registry.runtime import open_runtime
from tests.fakes.scripted_reader import ScriptedReader
from tests.fakes.tls_proxy import tls_proxy


@pytest.fixture
def authority(tmp_path: Path) -> tuple[trustme.CA, Path]:
    """Who signed the server's certificate, and the file that says so."""
    authority = trustme.CA()
    path = tmp_path / "root.pem"
    authority.cert_pem.write_to_path(path)
    return authority, path


@pytest.fixture
async def over_tls(database_url: URL, authority: tuple[trustme.CA, Path]) -> AsyncIterator[URL]:
    """The address of the tests' database behind TLS, for those who trust the authority."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority[0].issue_cert("127.0.0.1").configure_cert(context)
    async with tls_proxy(_socket(database_url), context) as port:
        yield database_url.set(
            host="127.0.0.1", port=port, query={"sslmode": "verify-full", "sslrootcert": str(authority[1])}
        )


async def test_a_runtime_speaks_tls_with_a_server_it_can_verify(over_tls: URL, embedder: Embedder) -> None:
    settings = Settings.model_validate({"database_url": libpq_url(over_tls)})
    async with open_runtime(settings, check_schema=check_schema, reader=ScriptedReader(), embedder=embedder) as runtime:
        async with runtime.database.begin() as session:
            assert await session.scalar(text("SELECT count(*) FROM corpora")) == 1
            raw = await (await session.connection()).get_raw_connection()
            assert raw.driver_connection is not None
            assert raw.driver_connection.pgconn.ssl_in_use
        assert await runtime.jobs.job_manager.list_queues_async() == []


async def test_a_server_that_cannot_be_verified_is_not_spoken_to(over_tls: URL, tmp_path: Path) -> None:
    stranger = tmp_path / "stranger.pem"
    trustme.CA().cert_pem.write_to_path(stranger)
    url = over_tls.update_query_dict({"sslrootcert": str(stranger)})
    with pytest.raises(DatabaseUnavailable) as refused:
        await _corpora(url)
    assert "certificate verify failed" in str(refused.value.__cause__)


async def test_tls_is_not_dropped_where_the_server_has_none(database_url: URL) -> None:
    async with tls_proxy(_socket(database_url), None) as port:
        with pytest.raises(DatabaseUnavailable) as refused:
            await _corpora(database_url.set(host="127.0.0.1", port=port, query={"sslmode": "require"}))
    assert "does not support SSL" in str(refused.value.__cause__)


def _socket(url: URL) -> str:
    folder = str(url.query.get("host") or url.host)
    if not folder.startswith("/"):
        pytest.skip("TEST_DATABASE_URL names a server over TCP; the proxy stands before a Unix socket")
    return f"{folder}/.s.PGSQL.{url.port or 5432}"


async def _corpora(url: URL) -> object:
    database = Database(url, pool_size=1, timeout_seconds=5)
    try:
        async with database.begin() as session:
            return await session.scalar(text("SELECT count(*) FROM corpora"))
    finally:
        await database.aclose()
