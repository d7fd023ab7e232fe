"""`credence search`: the passages nearest to a question."""

import typer
from rich.padding import Padding
from rich.text import Text

from api.cli.environment import Environment
from api.cli.options import command
from api.cli.output import cell, number, print_lines, say
from api.cli.parameter_options import parameter_options
from api.client.nouns import documents
from api.http.schemas.search import HitView
from api.text import clean
from registry.search.schemas import SearchInput

app = typer.Typer(add_completion=False)


@command(app)
@parameter_options(
    SearchInput, query="QUERY", limit="--limit -n", sources="--source", fold_copies="--fold-copies/--copies"
)
def search(env: Environment, values: SearchInput) -> None:
    views = env.send(documents.search(values)).items
    if env.as_json:
        print_lines(views)
        return
    for view in views:
        say(env.out, _heading(view))
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
