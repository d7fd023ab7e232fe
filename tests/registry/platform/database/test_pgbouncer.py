"""DATABASE_URL of a PgBouncer in transaction mode: everything works, and no transaction leaves anything to the next."""

import asyncio
import re
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import event, text
from sqlalchemy.engine import URL

from answering.embedders import Embedder
from migrations.control import check_schema
from registry.answers import service as answers
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.estimations import service as estimation
from registry.estimations import store as estimations
from registry.estimations.schemas import EstimationParameters
from registry.platform.database.engine import Database, libpq_url
from registry.platform.database.locks import try_lock
from registry.platform.enums import RunStatus, Trigger
from registry.platform.errors import DatabaseUnavailable, SettingsError
from registry.platform.settings import Settings
from registry.runtime import Runtime, open_runtime
from tests.eventually import eventually
from tests.fakes.pgbouncer import PROGRAM, PgBouncer, pgbouncer
from tests.registry.working import working
from tests.registry.world import TOWERS, TRUTH, build, colour_reader, honest, liar, question

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no PgBouncer (apt-get install pgbouncer)")
# What other transactions on the same connection would see, or not.
OF_SESSIONS = re.compile(
    r"^\s*(SET (?!LOCAL)|LISTEN|PREPARE|DECLARE)|advisory_lock\(|advisory_unlock|set_config\([^)]*, false\)",
    re.IGNORECASE,
)
SETTINGS = text("SELECT current_setting('TimeZone'), current_setting('jit'), current_setting('statement_timeout')")
PREPARED = text("SELECT count(*) FROM pg_prepared_statements")


@pytest.fixture
async def pooler(database_url: URL) -> AsyncIterator[PgBouncer]:
    async with pgbouncer(database_url, connections=2) as pooler:
        yield pooler


@pytest.fixture
async def pooled(pooler: PgBouncer, database_url: URL, embedder: Embedder) -> AsyncIterator[Runtime]:
    settings = Settings.model_validate(
        {
            "database_url": libpq_url(pooler.url),
            "database_direct_url": libpq_url(database_url),
            "database_timeout_seconds": 10,
            "conflict_judge": "none",
        }
    )
    reader = colour_reader()
    async with open_runtime(settings, check_schema=check_schema, reader=reader, embedder=embedder) as runtime:
        yield runtime


async def test_documents_estimates_and_concurrent_questions(pooled: Runtime, corpus: Corpus) -> None:
    statements: list[str] = []
    pooled_engine = pooled.database.engine.sync_engine
    event.listen(pooled_engine, "before_cursor_execute", lambda *arguments: statements.append(arguments[2]))
    await build(pooled, corpus, {"herald": honest(), "gazette": honest(), "rumour": liar("Brin")}, TOWERS)
    async with working(pooled):
        run = await estimation.start(pooled, corpus, EstimationParameters(), Trigger.COMMAND)

        async def ended() -> bool:
            async with pooled.database.begin() as session:
                return RunStatus((await estimations.get(session, corpus, run.id)).status).ended

        await eventually(ended)
        records = await asyncio.gather(
            *(answers.ask(pooled, corpus, question(tower), AnswerParameters()) for tower in TOWERS * 2)
        )
    assert [(record.result or {})["answers"] for record in records] == [[TRUTH[tower]] for tower in TOWERS * 2]
    assert {record.estimation_id for record in records} == {run.id}
    assert [statement for statement in statements if OF_SESSIONS.search(statement)] == []


async def test_transactions_have_their_settings_and_locks_are_of_the_server(
    pooled: Runtime, database: Database
) -> None:
    async with try_lock(pooled.database, "work") as held, try_lock(database, "work") as refused:
        assert held is not None
        assert refused is None
    for _ in range(10):
        async with pooled.database.begin() as session:
            assert tuple((await session.execute(SETTINGS)).one()) == ("UTC", "off", "10s")
            assert await session.scalar(PREPARED) == 0


async def test_a_pooler_that_restarts_is_connected_to_again(pooler: PgBouncer, pooled: Runtime) -> None:
    async def count() -> object:
        async with pooled.database.begin() as session:
            return await session.scalar(text("SELECT count(*) FROM corpora"))

    before = await asyncio.gather(*(count() for _ in range(4)))
    await pooler.stop()
    with pytest.raises(DatabaseUnavailable):
        await count()
    await pooler.start()
    assert await asyncio.gather(*(count() for _ in range(4))) == before


async def test_without_the_url_of_the_server_the_settings_are_refused(pooler: PgBouncer, embedder: Embedder) -> None:
    settings = Settings.model_validate({"database_url": libpq_url(pooler.url)})
    with pytest.raises(SettingsError, match="DATABASE_DIRECT_URL"):
        async with open_runtime(settings, check_schema=check_schema, embedder=embedder):
            pass
