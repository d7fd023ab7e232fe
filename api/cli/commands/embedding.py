"""`credence embed`: all passages, by another embedder."""

import asyncio
from contextlib import aclosing

from api.cli.environment import Environment
from api.cli.options import command
from api.cli.progress import progress
from migrations import control
from registry.documents.reembedding import reembed
from registry.platform.database.backup import connected
from registry.platform.database.engine import Database, resolve_direct_url
from registry.platform.database.restore import require_alone
from registry.platform.providers import build_embedder
from registry.platform.settings import Settings


@command("embed", corpus=False, json=False)
def embed(env: Environment) -> None:
    """Embed all passages anew with the embedder of the settings; if interrupted, run it again.

    Stop the service and its workers before. Estimations find their topics when they are made again.
    """
    settings = env.local_settings()
    url = resolve_direct_url(settings)
    control.require_runnable(control.read_schema(url))
    with connected(url) as connection:
        require_alone(connection)
    done = asyncio.run(_embed(env, settings))
    env.out.print(f"{done:,} passages were embedded by {settings.embedder}." if done else "Nothing was to be done.")


async def _embed(env: Environment, settings: Settings) -> int:
    async with aclosing(build_embedder(settings)) as embedder, aclosing(Database.from_settings(settings)) as database:
        with progress(env.err, "no passage has been embedded yet.") as update:

            def show(done: int, total: int) -> None:
                update("Embedding", done, total, "passages", f"{done:,} of {total:,} passages embedded.")

            return await reembed(database, embedder, show)
