"""`credence votes`: what sources answer, imported without documents, and what they agree on."""

from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from answering.parameters import Parameters
from api.cli.environment import Environment
from api.cli.import_progress import import_files
from api.cli.input_files import Columns, FormatOption
from api.cli.options import LimitOption, YesOption, command, confirm, list_command
from api.cli.output import bar, cell, print_table, say, table
from api.cli.parameter_options import parameter_options
from api.client.nouns import votes
from api.text import plural
from registry.platform.errors import InvalidInput
from registry.votes.schemas import Consensus, NumberConsensus, VoteLine

QueryOption = Annotated[str | None, typer.Option("--query", metavar="QUERY", help="Only votes on this query.")]
SourceOption = Annotated[str | None, typer.Option("--source", metavar="SOURCE", help="Only votes of this source.")]


class NamedColumns(Parameters):
    """Columns of CSV and Parquet files that are called otherwise."""

    source: str | None = None
    """Column of CSV and Parquet files with the source; by default source or worker."""
    query: str | None = None
    """The column with the query; by default query or task."""
    answer: str | None = None
    """The column with the answer; by default answer or label."""


# Columns of CSV and Parquet files, as they are named here and by crowd-kit, and the fields that they become.
LATECOMERS = "Lowered: without the sources that were registered last another answer would win, or none."
COLUMNS = {
    **{name: name for name in VoteLine.model_fields},
    "worker": "source",
    "task": "query",
    "label": "answer",
}


@list_command("votes")
def list_votes(
    env: Environment, limit: LimitOption = 0, query: QueryOption = None, source: SourceOption = None
) -> None:
    """List imported votes."""
    env.show_list(
        env.newest(votes.list_imported_votes(query=query, source=source), limit),
        {
            "query": "query",
            "source": "source",
            "answer": lambda vote: _on_a_line(vote.answer),
            "at": lambda vote: f"{vote.voted_at:%Y-%m-%d}" if vote.voted_at else "",
        },
        if_empty="There are no imported votes: `credence votes import`.",
    )


@command("votes", "import")
@parameter_options(NamedColumns)
def import_votes(
    env: Environment,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES...", help="*.ndjson, *.csv or *.parquet, also gzipped; - is NDJSON on standard input."
        ),
    ],
    named: NamedColumns,
    file_format: FormatOption = None,
) -> None:
    """Import votes: what each source answers to each query. A vote replaces that of the same source on the same query;
    where several answers may be true, a list does, and a single answer is added.

    Fields of JSON and columns of CSV and Parquet: source, query, answer, and if known at, confidence, topic,
    external_id. Files as crowd-kit has them (task, worker, label) are taken as they are; other columns are left out.
    """
    needed: dict[str, str] = named.model_dump(exclude_none=True)
    # What a named column becomes, no other column may become.
    others = {column: field for column, field in COLUMNS.items() if field not in needed}
    known = Columns(("confidence",), needed, others | {column: field for field, column in needed.items()})
    import_files(env, files, file_format, lambda _service: votes.send_votes(), known)


@command("votes")
def consensus(
    env: Environment,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The query's external id, or its id.")],
) -> None:
    """Show what the votes on a query agree on, each with the weight of its source."""
    env.show(env.send(votes.get_consensus(query)), print_consensus)


@command("votes")
def delete(env: Environment, query: QueryOption = None, source: SourceOption = None, yes: YesOption = False) -> None:
    """Delete the votes on a query, those of a source, or that of a source on a query. Past estimations keep them."""
    if query is None and source is None:
        raise InvalidInput("Name a query, a source or both: --query, --source.")
    which = " ".join(filter(None, [source and f"of {source}", query and f"on “{query}”"]))
    confirm(f"Delete the votes {which}?", yes=yes)
    deleted = env.send(votes.delete_votes(query=query, source=source))
    env.print_result(deleted, f"Deleted {plural(deleted.deleted, 'vote')}.")


def print_consensus(console: Console, found: Consensus) -> None:
    """The answer, how sure it is, and who votes for what."""
    answer = _on_a_line(found.answer or "No answer")
    ahead = f"lead {found.lead:.2f}" if found.margin is None else f"margin {found.margin:.2f}"
    numbers = f"  {found.outcome}, confidence {found.confidence:.2f}, {ahead}"
    say(console, (answer, "bold"), (numbers, "dim"))
    if found.confidence_capped:
        say(console, (LATECOMERS, "yellow"))
    if found.number is not None:
        say(console, _as_number(found.number))
    if found.several is not None:
        names = {voter.source_id: voter.name for voter in found.voters}
        listed = table(
            found.several,
            {
                "answer": "answer",
                "probability": "probability",
                "listed by": lambda each: ", ".join(names[source_id] for source_id in each.source_ids),
                "not by": lambda each: ", ".join(names[source_id] for source_id in each.other_ids),
            },
        )
        print_table(console, listed, if_empty="Nobody lists an answer.")
    rows = table(
        found.voters,
        {
            "source": "name",
            "": lambda voter: bar(voter.reliability, width=8),
            "reliability": "reliability",
            "weight": "weight",
            "says": lambda voter: cell(_on_a_line(voter.answer), "" if voter.supports else "red"),
        },
    )
    print_table(console, rows, if_empty="Nobody votes on it.")
    if found.certificate is not None and (size := found.certificate.size):
        least = "At least " if found.certificate.is_bound else ""
        console.print(Text(f"Certificate: {least}{plural(size, 'source')} would flip the answer.", style="dim"))
    if found.estimation_id is None:
        console.print(Text("There is no estimation yet: every source counts the same.", style="dim"))


def _on_a_line(answer: str) -> str:
    """Several answers, which stand one a line."""
    return "; ".join(answer.split("\n"))


def _as_number(number: NumberConsensus) -> str:
    """The consensus of votes that are numbers."""
    unit = f" {number.unit}" if number.unit else ""
    return f"As numbers: {number.value:g}{unit}, 90 % of the weight from {number.lower:g} to {number.upper:g}{unit}"
