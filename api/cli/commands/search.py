"""`credence search`: the passages nearest to a question."""

from typing import Annotated

import typer
from rich.padding import Padding
from rich.text import Text

from api.cli.environment import Environment, parse_input
from api.cli.options import command
from api.cli.output import cell, number, print_lines
from api.client.nouns import documents
from api.http.schemas.search import HitView
from api.text import clean
from registry.search.schemas import SearchInput

app = typer.Typer(add_completion=False)


@command(app)
def search(  # noqa: PLR0913, PLR0917 - each is an option
    env: Environment,
    query: Annotated[str, typer.Argument(help="A question, or words.")],
    limit: Annotated[int | None, typer.Option("--limit", "-n", help="Most hits.", show_default="10")] = None,
    reliability_weight: Annotated[
        float | None,
        typer.Option(help="How far reliability may change the order of relevance, from 0 to 1.", show_default="0.5"),
    ] = None,
    sources: Annotated[list[str] | None, typer.Option("--source", help="Only this source; repeat for more.")] = None,
    published_from: Annotated[str | None, typer.Option(help="Only documents published then or later.")] = None,
    published_before: Annotated[str | None, typer.Option(help="Only documents published before.")] = None,
    copies: Annotated[bool, typer.Option("--copies", help="Show near-equal passages one by one.")] = False,
) -> None:
    values = parse_input(
        SearchInput,
        query=query,
        limit=limit,
        reliability_weight=reliability_weight,
        sources=sources or None,
        published_from=published_from,
        published_before=published_before,
        fold_copies=not copies,
    )
    views = env.send(documents.search(values, corpus=env.corpus)).items
    if env.as_json:
        print_lines(views)
        return
    for view in views:
        env.out.print(_heading(view), soft_wrap=True)
        env.out.print(Padding(Text(clean(view.content)), (0, 0, 1, 4)))
    if not views:
        env.out.print(Text("Nothing was found.", style="dim"))


def _heading(hit: HitView) -> Text:
    """The score, and where the passage stands."""
    date = f", {hit.published_at:%Y-%m-%d}" if hit.published_at else ""
    copies = f"; also in {', '.join(clean(copy.source_name) for copy in hit.copies)}" if hit.copies else ""
    place = f"  {clean(hit.document_external_id)} {hit.start}-{hit.end}{date}, reliability "
    title = cell(hit.title or hit.document_external_id)
    return Text.assemble(
        number(hit.score),
        "  ",
        (clean(hit.source_name), "bold"),
        ": ",
        title,
        (place, "dim"),
        number(hit.reliability),
        (copies, "dim"),
    )
