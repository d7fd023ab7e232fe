"""`credence audit`: who changed what."""

import json
from typing import Annotated

import typer

from api.cli.connection import PAGE_ROWS
from api.cli.environment import Environment
from api.cli.options import command
from api.client.nouns import corpora


@command("audit", corpus=False)
def audit(
    env: Environment,
    name: Annotated[
        str | None, typer.Option("--corpus", "-c", metavar="NAME", help="Changes in one corpus only.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=PAGE_ROWS, help="Show the newest N.")] = 50,
) -> None:
    everywhere = corpora.list_changes(limit=limit)
    events = env.send(everywhere if name is None else corpora.list_corpus_changes(corpus=name, limit=limit)).items
    env.show_list(
        events[::-1],
        {
            "when": "created_at",
            "who": lambda event: f"{event.actor} {event.key_name or ''} {event.address or ''}",
            "what": "action",
            "before": lambda event: json.dumps(event.before or {}, ensure_ascii=False),
            "after": lambda event: json.dumps(event.after or {}, ensure_ascii=False),
        },
        if_empty="Nothing was changed yet.",
        fixed=("what",),
    )
