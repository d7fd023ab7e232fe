"""Runs that several tests begin with: made once in a process, then copied back."""

import hashlib
from uuid import UUID

from psycopg import sql

from answering.readers import Reader
from registry.corpora.model import Corpus
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import EstimationParameters
from registry.runtime import Runtime
from tests.fakes.scripted_reader import ScriptedReader
from tests.registry.estimations import test_service
from tests.registry.misread_world import CarelessReader, read_colour
from tests.registry.world import ask_experts, colour_reader, publish_experts
from tests.remembered import Remember, State, connected, restore, save

_runs: dict[str, tuple[State, UUID]] = {}
# Readers of which two of the same kind read alike.
COLOURS = getattr(colour_reader()._script, "__code__", None)


async def finished(
    runtime: Runtime, corpus: Corpus, parameters: EstimationParameters = test_service.PLAIN
) -> EstimationRun:
    """A finished run. Where the same rows were estimated before, it is copied, and nothing is read."""
    if runtime.reader is None or runtime.chat is not None or not _is_known(runtime.reader):
        return await test_service.finished(runtime, corpus, parameters)
    with connected(runtime.database.url) as connection:
        owners = connection.execute("SELECT corpora::text FROM corpora").fetchall()
        before = save(connection) if len(owners) == 1 else None
    if before is None:
        return await test_service.finished(runtime, corpus, parameters)
    settings = runtime.settings.model_copy(update={"data_dir": None})
    how = repr((owners, parameters, settings, runtime.embedder.name, type(runtime.reader), runtime.reader.name))
    key = how + hashlib.sha256(b"".join(name.encode() + rows for name, rows in before.items())).hexdigest()
    if key not in _runs:
        run = await test_service.finished(runtime, corpus, parameters)
        with connected(runtime.database.url) as connection:
            _runs[key] = (save(connection), run.id)
        return run
    after, run_id = _runs[key]
    with connected(runtime.database.url) as connection:
        for name in reversed(before):
            connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(name)))
        restore(connection, after)
    async with runtime.database.begin() as session:
        return await estimations.get(session, corpus, run_id)


async def estimate_experts(reading: Runtime, corpus: Corpus, remember: Remember) -> None:
    """The documents and the queries of the experts, and a run that knows the topics of the queries."""

    async def build() -> None:
        await publish_experts(reading, corpus)
        await ask_experts(reading, corpus, given=True)
        await finished(reading, corpus)

    await remember("estimated experts", build)


def _is_known(reader: Reader) -> bool:
    """Whether another reader of the same class and name would read the same."""
    if isinstance(reader, CarelessReader):
        return reader._script is read_colour
    return type(reader) is ScriptedReader and getattr(reader._script, "__code__", None) is COLOURS
