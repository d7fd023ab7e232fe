"""`credence nextcloud`, which stays until it is stopped."""

import asyncio
from typing import Annotated

import typer

from api.cli.environment import Environment
from api.cli.options import command
from api.client.nextcloud import NextcloudFailed, open_bridge
from registry.platform.errors import InvalidInput

PAUSE_SECONDS = 5.0
"""Between two looks at what there is to do, where there was nothing."""
NO_SERVICE = "Name the service with --url, and with --key the API key of the corpus that is the secret of the backend."


@command("nextcloud", json=False)
def nextcloud(
    env: Environment,
    cloud: Annotated[str, typer.Argument(metavar="ADDRESS", help="Address of Nextcloud.")],
    version: Annotated[
        str, typer.Option("--backend-version", help="Version in which the backend is registered with AppAPI.")
    ] = "5.5.0",
    once: Annotated[bool, typer.Option("--once", help="End when there is nothing to do.")] = False,
) -> None:
    """Do what Context Chat of Nextcloud from version 5.5 on has its backend fetch: index files, answer users."""
    url, key = env.url, env.key
    if url is None or key is None:
        raise InvalidInput(NO_SERVICE)

    async def follow() -> None:
        async with open_bridge(cloud, version, url, env.corpus, key) as bridge:
            done = 1
            while done or not once:
                try:
                    done = await bridge.turn()
                except NextcloudFailed as error:
                    if once:
                        raise
                    env.print_note(f"Later again: {error}")
                    done = 0
                for reason in bridge.refused:
                    env.print_note(f"Left out: {reason}")
                if not done and not once:
                    await asyncio.sleep(PAUSE_SECONDS)

    asyncio.run(follow())
