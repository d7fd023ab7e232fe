"""`credence watches`: feeds of the sources that turn or fall."""

from typing import Annotated

import typer

from api.cli.connection import one_of
from api.cli.environment import Environment, parse_input
from api.cli.options import command, list_command
from api.client.nouns import watches
from registry.watches.schemas import WatchInput

_find = one_of(watches.list_watches(), "id", what="watch")


@list_command("watches")
def list_watches(env: Environment) -> None:
    """List the feeds of sources that turn or fall."""
    env.show_list(
        env.newest(watches.list_watches()),
        {"id": "id", "source": lambda watch: watch.source_id or "all", "by": "created_by", "made (UTC)": "created_at"},
        if_empty="There are no feeds: `credence watches add`.",
        fixed=("id",),
    )


@command("watches")
def add(
    env: Environment,
    source: Annotated[str | None, typer.Argument(help="The only source that it tells of; without one, all.")] = None,
) -> None:
    """Make a feed and print its path. It cannot be shown again."""
    made = env.send(watches.create_watch(parse_input(WatchInput, source=source)))
    env.print_result(made, made.path)


@command("watches", json=False)
def remove(env: Environment, watch: Annotated[str, typer.Argument(help="The id, as in the list.")]) -> None:
    """End a feed."""
    found, _ = env.on(_find, watch, lambda found: watches.remove_watch(found.id))
    env.print_note(f"Removed the feed {found.id}.")
