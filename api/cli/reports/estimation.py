"""Estimation runs and the reliabilities of sources, for a person."""

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from api.cli.output import ABSENT, bar, cell, number, table
from api.text import clean, plural, shorten
from registry.models import EstimationRun, RunSource, Source, SourceStatus
from registry.results.copy_groups import Voice
from registry.results.periods import ReliabilityPeriod
from registry.results.topics import Topic, TopicReliability
from registry.store.reliabilities import Reliabilities, SourceReliability

NUMBERS = ("reliability", "90 %", "weight", "votes")
BAR_WIDTH = 8
LABEL_WIDTH = 40


def summary(run: EstimationRun) -> str:
    """What a run did, in a sentence or two."""
    seconds = (run.finished_at - run.started_at).total_seconds() if run.finished_at and run.started_at else 0.0
    carried = f" ({run.readings_carried:,} carried over)" if run.readings_carried else ""
    readings = (
        f"{plural(run.readings_made, 'reading')} made, {run.readings_cached:,} known{carried}, "
        f"{run.readings_failed:,} failed"
    )
    rounds = f"{plural(run.rounds or 0, 'round')} ({run.stop_reason})"
    return clean(
        f"{plural(run.votes_total, 'vote')} of {plural(run.sources_total, 'source')} on "
        f"{plural(run.queries_total, 'query', 'queries')}; {run.method} ended after {rounds}. "
        f"{readings}, {seconds:.1f} s."
    )


def reasons(run: EstimationRun) -> list[str]:
    """Why this method was taken, how many gold answers it used, and which sources copy each other."""
    groups = map(Voice.model_validate, run.voices)
    gold = f"Fitted on {plural(run.gold_queries, 'gold answer')}, left out of its audits." if run.gold_queries else ""
    return [clean(line) for line in (run.reason or "", gold, *map(copy_group_line, groups)) if line]


def copy_group_line(group: Voice) -> str:
    """The sources of a copy group, and why they are one."""
    names = dict(zip(group.source_ids, group.source_names, strict=True))
    original = f" They took from {names[group.original_id]}." if group.original_id else ""
    agreement = ""
    if group.agreement is not None and group.explained is not None:
        agreement = f" Two of them agree in {group.agreement:.0%} of what both answer, {group.explained:.0%} expected."
    return (
        f"One voice: {', '.join(group.source_names)}.{agreement} They share {group.shared_wrong:.0f} wrong answers, "
        f"{group.expected:.0f} expected (log odds {group.log_odds:.1f}).{original}"
    )


def reliability_table(sources: Sequence[SourceReliability], *, wide: bool = False) -> Table:
    """The sources, the most reliable first; those of which nothing is known last.

    With 80 columns names and numbers keep their lines; a `wide` table has the external ids and weights too.
    """
    identity = ("source", "id") if wide else ("source",)
    weight = ("weight",) if wide else ()
    columns = (*identity, "", "reliability", "90 %", *weight, "votes", "")
    result = table(*columns, right=NUMBERS, fixed=identity)
    for source in sorted(sources, key=_rank):
        result.add_row(
            cell(source.name),
            *([cell(source.external_id)] if wide else []),
            bar(source.reliability, width=BAR_WIDTH),
            number(source.reliability),
            interval(source.lower, source.upper),
            *([number(source.weight)] if wide else []),
            f"{source.vote_count:,}",
            _remarks(source),
        )
    return result


def topic_labels(run: EstimationRun) -> list[str]:
    """The labels of the topics of the run, each short and on one line."""
    return [shorten(Topic.model_validate(topic).label, LABEL_WIDTH) for topic in run.topics]


def topic_table(sources: Sequence[SourceReliability], run: EstimationRun) -> Table:
    """The reliability of every source on each topic of the run."""
    # Square brackets would be markup.
    labels = list(map(escape, topic_labels(run)))
    result = table("source", *labels, right=tuple(labels), fixed=("source",))
    for source in sorted(sources, key=_rank):
        on_topic = {topic.topic: number(topic.reliability) for topic in source.topics}
        result.add_row(cell(source.name), *(on_topic.get(topic, ABSENT) for topic in range(len(labels))))
    return result


def interval(lower: float | None, upper: float | None) -> str:
    """Both ends of an interval."""
    return ABSENT if lower is None or upper is None else f"{lower:.2f}-{upper:.2f}"


def _estimate_line(label: str, estimate: ReliabilityPeriod | TopicReliability) -> str:
    ends = interval(estimate.lower, estimate.upper)
    return f"{label}: {number(estimate.reliability)} ({ends}), {plural(estimate.vote_count, 'vote')}"


def turn_line(source: SourceReliability) -> str:
    """When a source turned, and how far it could be trusted before."""
    return f"{source.name} turned: {_turn(source.periods)}."


def _turn(periods: Sequence[ReliabilityPeriod]) -> str:
    before, present = periods[-2:]
    return f"{before.reliability:.2f} until {present.since:%Y-%m-%d}, then {present.reliability:.2f}"


def _rank(source: SourceReliability) -> tuple[bool, float, str]:
    return source.reliability is None, -(source.reliability or 0.0), source.name


def _remarks(source: SourceReliability) -> Text:
    """Its status if it is not active, its turn, its copy group, and the override with the estimate that it replaces."""
    remarks = [] if source.status == SourceStatus.ACTIVE else [str(source.status)]
    if source.periods:
        remarks.append(f"turned: {_turn(source.periods)}")
    if source.voice is not None:
        remarks.append(f"voice {source.voice + 1}")
    if source.misread_count:
        remarks.append(f"{source.misread_count:,} look misread")
    if source.rating is not None:
        remarks.append(f"rated {source.rating.rating:.2f}")
    if source.override is not None:
        estimated = "" if source.estimated is None else f", estimate {source.estimated:.2f}"
        remarks.append(f"set by {source.override.created_by}{estimated}")
    return cell("; ".join(remarks), "bold red" if source.alarm else "dim")


def print_source(console: Console, source: Source, current: Reliabilities, history: Sequence[RunSource]) -> None:
    """One source: what it is, its reliability and where that comes from, and its estimates of the past."""
    console.print(
        Text.assemble((clean(source.name), "bold"), (f"  {clean(source.external_id)}, {source.status}", "dim"))
    )
    for line in (source.description, source.url or "", str(source.id)):
        if line:
            console.print(Text(clean(line)), soft_wrap=True)
    _print_reliability(console, current.sources[0], current.run)
    rows = table("estimation", "", "reliability", "90 %", "votes", "of run", right=("reliability", "90 %", "votes"))
    for estimate in history:
        rows.add_row(
            "",
            bar(estimate.reliability),
            number(estimate.reliability),
            interval(estimate.lower, estimate.upper),
            f"{estimate.vote_count:,}",
            str(estimate.estimation_id),
        )
    if history:
        console.print(rows)


def _print_reliability(console: Console, source: SourceReliability, run: EstimationRun | None) -> None:
    share, weight = number(source.reliability), f", weight {number(source.weight)}"
    votes = f"  {plural(source.vote_count, 'vote')}"
    console.print(Text.assemble("Reliability ", bar(source.reliability), " ", share, weight, votes))
    if source.lower is not None and source.upper is not None:
        console.print(Text(f"Between {source.lower:.2f} and {source.upper:.2f}, as nine of ten such intervals hold."))
    for period in source.periods:
        console.print(Text(_estimate_line(f"{period.since:%Y-%m-%d} to {period.until:%Y-%m-%d}", period)))
    labels = topic_labels(run) if run is not None else []
    for topic in source.topics:
        console.print(Text(_estimate_line(f"On {labels[topic.topic]}", topic)))
    if source.alarm:
        console.print(Text(clean(f"Alarm: {turn_line(source)}"), style="bold red"), soft_wrap=True)
    if source.voice is not None and run is not None:
        group = Voice.model_validate(run.voices[source.voice])
        console.print(Text(clean(copy_group_line(group))), soft_wrap=True)
    if source.rating is not None:
        rating = source.rating
        line = f"Rated {rating.rating:.2f} by {rating.created_by}, counts as {rating.strength:g} votes: {rating.origin}"
        console.print(Text(clean(line)), soft_wrap=True)
    if source.override is not None:
        by_hand = f"Set by {source.override.created_by}: {source.override.reason}"
        console.print(Text(clean(f"{by_hand} (estimate: {number(source.estimated)})")), soft_wrap=True)
