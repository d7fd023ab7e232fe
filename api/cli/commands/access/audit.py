"""`credence audit`: who changed what."""

import json
from typing import Annotated

import typer

from api.cli.connection import PAGE_ROWS
from api.cli.environment import Environment
from api.cli.options import command
from api.cli.output import cell, moment, table
from api.client.nouns import corpora

app = typer.Typer(add_completion=False)


@command(app, corpus=False)
def audit(
    env: Environment,
    name: Annotated[
        str | None, typer.Option("--corpus", "-c", metavar="NAME", help="Changes in one corpus only.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=PAGE_ROWS, help="Show the newest N.")] = 50,
) -> None:
    everywhere = corpora.list_changes(limit=limit)
    call = everywhere if name is None else corpora.list_corpus_changes(corpus=name, limit=limit)
    events = env.send(call).items[::-1]
    rows = table("when", "who", "what", "before", "after", fixed=("when", "what"))
    for event in events:
        who = f"{event.actor} {event.key_name or ''} {event.address or ''}"
        values = (cell(json.dumps(value or {}, ensure_ascii=False)) for value in (event.before, event.after))
        rows.add_row(moment(event.created_at), cell(" ".join(who.split())), cell(event.action), *values)
    env.show_list(events, rows, if_empty="Nothing was changed yet.")
