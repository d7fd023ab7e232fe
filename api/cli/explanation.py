"""Why a source has its reliability, and who copies whom."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from pydantic import BaseModel
from rich.text import Text
from sqlalchemy.ext.asyncio import AsyncSession

from api.cli.environment import Environment, newest
from api.cli.output import cell, moment, print_lines, print_table, table
from api.text import clean, plural, shorten
from registry.errors import Conflict
from registry.estimation.explanation import ExplainedVote, explain_votes
from registry.models import Corpus, EstimationRun, RunStatus
from registry.results.copy_groups import Voice
from registry.store import estimations, reliabilities, sources
from registry.store.estimations import SourceVote

QUOTE_CHARACTERS = 240


class ExplainedVoteView(BaseModel):
    """A vote of a source in the current run, and the sentence that it was read from."""

    query_id: UUID
    query_text: str
    answer: str | None
    run_answer: str | None
    agrees: bool | None
    quote: str | None
    document_id: UUID | None
    title: str | None


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

    async def work(session: AsyncSession, owner: Corpus) -> tuple[list[SourceVote], list[ExplainedVote[SourceVote]]]:
        source = await sources.find(session, owner, reference)
        run = await reliabilities.current_run(session, owner)
        if run is None:
            raise Conflict("Nothing is estimated yet: `credence estimate`.")
        readings = await estimations.votes_of_source(session, run, source.id)
        votes = [reading for reading in readings if reading.agrees is not None]
        shown = sorted(
            (vote for vote in votes if not (only_against and vote.agrees)), key=lambda vote: bool(vote.agrees)
        )
        return votes, await explain_votes(session, shown[: limit or None])

    votes, explained = env.in_corpus(work)
    if env.as_json:
        print_lines(map(_view, explained))
        return
    for vote in explained:
        _print_vote(env, vote)
    agreeing = sum(vote.agrees is True for vote in votes)
    summary = f"{plural(len(votes), 'vote')}, {agreeing:,} with the run's answer; {len(explained):,} shown."
    env.out.print(Text(summary, style="dim"), soft_wrap=True)


def _view(explained: ExplainedVote[SourceVote]) -> ExplainedVoteView:
    vote = explained.vote
    return ExplainedVoteView(
        query_id=vote.query_id,
        query_text=vote.query_text,
        answer=vote.answer,
        run_answer=vote.run_answer,
        agrees=vote.agrees,
        quote=explained.quote,
        document_id=explained.document_id,
        title=explained.title,
    )


def _print_vote(env: Environment, explained: ExplainedVote[SourceVote]) -> None:
    vote = explained.vote
    mark, style = ("with   ", "green") if vote.agrees else ("against", "red")
    others = "" if vote.agrees else f"; the weighted vote says {clean(vote.run_answer or '')}"
    line = f"  {clean(vote.answer or '')}{others}"
    env.out.print(Text.assemble((mark, style), "  ", (clean(vote.query_text), "bold"), line), soft_wrap=True)
    if explained.quote is not None:
        title = f" ({clean(explained.title)})" if explained.title else ""
        quote = f"       “{shorten(explained.quote, QUOTE_CHARACTERS)}”{title}"
        env.out.print(Text(quote, style="dim"), soft_wrap=True)


def show_copies(env: Environment) -> None:
    """Print who copies whom over all runs."""
    groups = copy_groups(
        env.in_corpus(
            lambda session, owner: newest(
                lambda cursor, limit: estimations.page(session, owner, cursor=cursor, limit=limit)
            )
        )
    )
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
    print_table(env.out, rows, if_empty="No estimation found sources that copy.")


def copy_groups(runs: Sequence[EstimationRun]) -> list[CopyGroupView]:
    """The copy groups of the runs that succeeded, given from the oldest on; first those that most runs found."""
    succeeded = [run for run in runs if run.status == RunStatus.SUCCEEDED]
    found: dict[frozenset[UUID], list[tuple[EstimationRun, Voice]]] = {}
    for run in succeeded:
        for group in map(Voice.model_validate, run.voices):
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
