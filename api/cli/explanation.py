"""The reasons for the reliability of a source, and its copies."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from pydantic import BaseModel
from rich.text import Text

from api.cli.environment import Environment
from api.cli.output import cell, moment, print_lines, print_table, table
from api.client.nouns.estimations import list_estimations
from api.client.nouns.sources import list_source_votes
from api.http.schemas.estimations import EstimationView
from api.http.schemas.sources import ExplainedVoteView
from api.text import clean, plural, shorten
from registry.platform.enums import RunStatus
from registry.sources.schemas import CopyGroup

QUOTE_CHARACTERS = 240


class CopyGroupView(BaseModel):
    """Sources that copy each other, in how many of the runs they were found to, and what the last of these says."""

    source_ids: tuple[UUID, ...]
    source_names: tuple[str, ...]
    original_id: UUID | None
    runs: int
    of_runs: int
    last_found_at: datetime
    log_odds: float


def explain_source(env: Environment, reference: str, *, only_against: bool, limit: int) -> None:
    """Print the votes of a source in the current run, those against the run's answer first; 0 is no limit."""

    with env.service() as service:
        found = service.source(reference, env.corpus)
        call = list_source_votes(found, against=only_against, limit=limit or None, corpus=env.corpus)
        explained = service.send(call)
    if env.as_json:
        print_lines(explained.items)
        return
    for vote in explained.items:
        _print_vote(env, vote)
    shown = len(explained.items)
    summary = f"{plural(explained.votes, 'vote')}, {explained.agreeing:,} with the run's answer; {shown:,} shown."
    env.out.print(Text(summary, style="dim"), soft_wrap=True)


def _print_vote(env: Environment, vote: ExplainedVoteView) -> None:
    mark, style = ("with   ", "green") if vote.agrees else ("against", "red")
    others = "" if vote.agrees else f"; the weighted vote says {clean(vote.run_answer or '')}"
    line = f"  {clean(vote.answer or '')}{others}"
    env.out.print(Text.assemble((mark, style), "  ", (clean(vote.query_text), "bold"), line), soft_wrap=True)
    if vote.quote is not None:
        title = f" ({clean(vote.title)})" if vote.title else ""
        quote = f"       “{shorten(vote.quote, QUOTE_CHARACTERS)}”{title}"
        env.out.print(Text(quote, style="dim"), soft_wrap=True)


def show_copies(env: Environment) -> None:
    """Print who copies whom over all runs."""
    with env.service() as service:
        groups = copy_groups(service.newest(list_estimations(corpus=env.corpus)))
    if env.as_json:
        print_lines(groups)
        return
    rows = table("sources that copy", "took from", "runs", "last", right=("runs",), fixed=("last",))
    for group in groups:
        names = dict(zip(group.source_ids, group.source_names, strict=True))
        rows.add_row(
            cell(", ".join(group.source_names)),
            cell(names[group.original_id] if group.original_id else ""),
            f"{group.runs} of {group.of_runs}",
            moment(group.last_found_at),
        )
    print_table(env.out, rows, if_empty="No estimation found copies.")


def copy_groups(runs: Sequence[EstimationView]) -> list[CopyGroupView]:
    """The copy groups of the runs that succeeded, given from the oldest on; first those that most runs found."""
    succeeded = [run for run in runs if run.status == RunStatus.SUCCEEDED]
    found: dict[frozenset[UUID], list[tuple[EstimationView, CopyGroup]]] = {}
    for run in succeeded:
        for group in run.outcome.copy_groups if run.outcome else ():
            found.setdefault(frozenset(group.source_ids), []).append((run, group))
    return [
        CopyGroupView(
            source_ids=group.source_ids,
            source_names=group.source_names,
            original_id=group.original_id,
            runs=len(found_in),
            of_runs=len(succeeded),
            last_found_at=run.created_at,
            log_odds=group.log_odds,
        )
        for found_in in sorted(found.values(), key=len, reverse=True)
        for run, group in found_in[-1:]
    ]
