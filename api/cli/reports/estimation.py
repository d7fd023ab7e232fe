"""Estimation runs and the reliabilities of sources, for a person."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from api.cli.output import ABSENT, Column, bar, cell, number, print_table, say, table
from api.http.schemas.sources import ExplainedVoteView, PastEstimate, ReliabilityView, SourceWithReliability
from api.text import clean, plural, shorten
from registry.estimations.schemas import RunDifference, SourceEstimate, Topic, TopicReliability
from registry.platform.enums import SourceStatus
from registry.queries.schemas import MoreQueries
from registry.sources.schemas import CopyGroup, JointDissent, ReliabilityPeriod

if TYPE_CHECKING:
    from api.http.schemas.estimations import Convergence, EstimationView

BAR_WIDTH = 8
LABEL_WIDTH = 40
QUOTE_CHARACTERS = 240
WIDEST = 3
QUERIES_SHOWN = 10


def summary(run: "EstimationView", outcome: "Convergence") -> str:
    """A run in a sentence or two."""
    seconds = (run.finished_at - run.started_at).total_seconds() if run.finished_at and run.started_at else 0.0
    done = run.progress
    reused = f" ({done.readings_carried:,} reused)" if done.readings_carried else ""
    rounds = f"{plural(outcome.rounds or 0, 'round')} ({outcome.stop_reason})"
    return (
        f"{plural(done.votes_total, 'vote')} of {plural(done.sources_total, 'source')} on "
        f"{plural(done.queries_total, 'query', 'queries')}; {outcome.method} ended after {rounds}. "
        f"{plural(done.readings_made, 'reading')} made, {done.readings_cached:,} cached{reused}, "
        f"{done.readings_failed:,} failed, {seconds:.1f} s."
    )


def reasons(outcome: "Convergence | None") -> list[str]:
    """The reasons for the method, the number of gold answers, and the sources that copy or dissent together."""
    if outcome is None:
        return []
    used = outcome.gold_queries
    gold = f"Fitted on {plural(used, 'gold answer')}; audits of this run leave them out." if used else ""
    groups = *map(copy_group_line, outcome.copy_groups), *map(joint_dissent_line, outcome.joint_dissents)
    return [line for line in (outcome.reason or "", gold, *groups) if line]


def width_line(more: MoreQueries) -> str:
    widest = ", ".join(f"{source.source_name} ({source.width:.2f})" for source in more.sources[:WIDEST])
    waiting = " These suggestions would tell most: " + " / ".join(more.suggestions) if more.suggestions else ""
    return (
        f"90 % intervals are {more.width:.2f} wide on average; {more.queries} more queries would make that "
        f"{more.expected_width:.2f}. The widest are those of {widest}: `credence queries generate` asks about their "
        f"documents first, and more imported votes of theirs help too.{waiting}"
    )


def copy_group_line(group: CopyGroup) -> str:
    """The sources of a copy group, and why they are one."""
    names = dict(zip(group.source_ids, group.source_names, strict=True))
    original = f" The others copy {names[group.original_id]}." if group.original_id else ""
    agreement = ""
    if group.agreement is not None and group.explained is not None:
        agreement = f" Two of them agree on {group.agreement:.0%} of what both answer, {group.explained:.0%} expected."
    return (
        f"Copy group: {', '.join(group.source_names)}.{agreement} They share {group.shared_wrong:.0f} wrong answers, "
        f"{group.expected:.0f} expected (log odds {group.log_odds:.1f}).{original}"
    )


def joint_dissent_line(group: JointDissent) -> str:
    """The sources that dissent together, and on which queries."""
    asked = [f"{query.query_text} ({query.answer})" for query in group.queries[:QUERIES_SHOWN]]
    more = len(group.queries) - len(asked)
    return (
        f"Joint dissent: {', '.join(group.source_names)}. They agree with each other and against the others on "
        f"{plural(len(group.queries), 'query', 'queries')} (log odds {group.log_odds:.1f}), and count as one there: "
        f"{'; '.join(asked)}{f' and {more:,} more' if more else ''}."
    )


def print_reliabilities(
    console: Console,
    sources: Sequence[SourceWithReliability],
    copy_groups: Sequence[CopyGroup] = (),
    joint_dissents: Sequence[JointDissent] = (),
    topics: Sequence[Topic] = (),
    *,
    wide: bool = False,
) -> None:
    """The sources, the most reliable first; those of which nothing is known last. Groups and topics are of their run.

    With 80 columns names and numbers keep their lines. A `wide` table has external ids, the days on which sources were
    registered, systematic bands and weights too, and no bars. Where several answers may be true, sensitivities and
    specificities stand beside them.
    """
    sources = sorted(sources, key=_rank)
    has_rates = any(source.reliability.sensitivity for source in sources)
    columns: dict[str, tuple[bool, Column[SourceWithReliability]]] = {
        "source": (True, "name"),
        "id": (wide, "external_id"),
        "since": (wide, lambda source: f"{source.created_at:%Y-%m-%d}"),
        "": (not wide, lambda source: bar(source.reliability.reliability, width=BAR_WIDTH)),
        "reliability": (True, "reliability.reliability"),
        "90 %": (True, lambda source: interval(source.reliability.lower, source.reliability.upper)),
        "band": (wide, lambda source: interval(*(source.reliability.band or (None, None)))),
        "weight": (wide, "reliability.weight"),
        "votes": (True, "reliability.vote_count"),
        "sensitivity": (has_rates, "reliability.sensitivity"),
        "specificity": (has_rates, "reliability.specificity"),
        " ": (True, lambda source: _remarks(source, copy_groups, joint_dissents)),
    }
    wanted = {heading: of for heading, (is_shown, of) in columns.items() if is_shown}
    rows = table(sources, wanted, fixed=("source", "id", "since", "90 %", "band"))
    print_table(console, rows, if_empty="There are no sources: `credence sources add`.")
    if topics:
        console.print(topic_table([(source.name, source.reliability.topics) for source in sources], topics))


def topic_table(sources: Sequence[tuple[str, Sequence[TopicReliability]]], topics: Sequence[Topic]) -> Table:
    """The reliability of every source, of which the name is given and what is known by topic, on each topic."""
    known = [(name, {each.topic: each.reliability for each in by_topic}) for name, by_topic in sources]

    def on(topic: int) -> Column[tuple[str, dict[int, float]]]:
        return lambda source: source[1].get(topic)

    by_topic = {_label(topic.label): on(number) for number, topic in enumerate(topics)}
    return table(known, {"source": lambda source: source[0], **by_topic}, fixed=("source",))


def _label(label: str) -> str:
    """The label of a topic, short and on one line."""
    return shorten(label, LABEL_WIDTH)


def interval(lower: float | None, upper: float | None) -> str:
    """Both ends of an interval."""
    return ABSENT if lower is None or upper is None else f"{lower:.2f}-{upper:.2f}"


def _estimate_line(label: str, estimate: ReliabilityPeriod | TopicReliability) -> str:
    ends = interval(estimate.lower, estimate.upper)
    return f"{label}: {number(estimate.reliability)} ({ends}), {plural(estimate.vote_count, 'vote')}"


def turn_line(name: str, periods: Sequence[ReliabilityPeriod]) -> str:
    """When a source turned, and its reliability before."""
    return f"{name} turned: {_turn(periods)}."


def _turn(periods: Sequence[ReliabilityPeriod]) -> str:
    before, present = periods[-2:]
    return f"{before.reliability:.2f} until {present.since:%Y-%m-%d}, then {present.reliability:.2f}"


def _rank(source: SourceWithReliability) -> tuple[bool, float, str]:
    known = source.reliability.reliability
    return known is None, -(known or 0.0), source.name


def _remarks(
    source: SourceWithReliability, copy_groups: Sequence[CopyGroup], joint_dissents: Sequence[JointDissent]
) -> Text:
    """Its status if it is not active, its turn, its groups, and the override with the estimate that it replaces."""
    known = source.reliability
    remarks = [] if source.status == SourceStatus.ACTIVE else [str(source.status)]
    remarks += ["new"] if known.is_new else []
    if known.periods:
        remarks.append(f"turned: {_turn(known.periods)}")
    if known.copy_group in copy_groups:
        remarks.append(f"copy group {copy_groups.index(known.copy_group) + 1}")
    dissents = [place for place, group in enumerate(joint_dissents, start=1) if source.id in group.source_ids]
    remarks += [f"joint dissent {place}" for place in dissents]
    if known.misread_count:
        remarks.append(f"{known.misread_count:,} look misread")
    if known.rating is not None:
        remarks.append(f"rated {known.rating.rating:.2f}")
    if known.override is not None:
        estimated = "" if known.estimated is None else f", estimate {known.estimated:.2f}"
        remarks.append(f"set by {known.override.created_by}{estimated}")
    return cell("; ".join(remarks), "bold red" if known.alarm else "dim")


def print_source(console: Console, source: SourceWithReliability, history: Sequence[PastEstimate]) -> None:
    """One source: what it is, its reliability and where that comes from, and its estimates of the past."""
    say(console, (source.name, "bold"), (f"  {source.external_id}, {source.status}", "dim"))
    since = f"Registered {source.created_at:%Y-%m-%d}{'; counts as new.' if source.reliability.is_new else '.'}"
    for line in (source.description, source.url or "", str(source.id), since):
        if line:
            say(console, line)
    _print_reliability(console, source.name, source.reliability)
    rows = table(
        history,
        {
            "run": "number",
            "": lambda estimate: bar(estimate.reliability),
            "reliability": "reliability",
            "90 %": lambda estimate: interval(estimate.lower, estimate.upper),
            "votes": "vote_count",
            "method": "method",
        },
    )
    if history:
        console.print(rows)


def print_vote(console: Console, vote: ExplainedVoteView) -> None:
    """A vote of a source, with the answer of the run where that differs, and the sentence behind it."""
    mark = ("with   ", "green") if vote.agrees else ("against", "red")
    others = "" if vote.agrees else f"; the weighted vote says {vote.run_answer or ''}"
    say(console, mark, "  ", (vote.query_text, "bold"), f"  {vote.answer or ''}{others}")
    if vote.quote is not None:
        title = f" ({vote.title})" if vote.title else ""
        say(console, f"       “{shorten(vote.quote, QUOTE_CHARACTERS)}”{title}", style="dim")


def _print_reliability(console: Console, name: str, known: ReliabilityView) -> None:
    share, weight = number(known.reliability), f", weight {number(known.weight)}"
    say(console, "Reliability ", bar(known.reliability), " ", share, weight, f"  {plural(known.vote_count, 'vote')}")
    if known.lower is not None and known.upper is not None:
        say(console, f"90 % interval: {known.lower:.2f} to {known.upper:.2f}.")
    if known.band is not None:
        low, high = known.band
        say(console, f"Systematic band, which allows for errors that sources share: {low:.2f} to {high:.2f}.")
    if known.sensitivity is not None:
        rates = f"sensitivity {number(known.sensitivity)}, specificity {number(known.specificity)}"
        say(console, f"Where several answers may be true: {rates}.")
    for period in known.periods:
        say(console, _estimate_line(f"{period.since:%Y-%m-%d} to {period.until:%Y-%m-%d}", period))
    for topic in known.topics:
        say(console, _estimate_line(f"On {_label(topic.label)}", topic))
    if known.alarm:
        say(console, f"Alarm: {turn_line(name, known.periods)}", style="bold red")
    if known.copy_group is not None:
        say(console, copy_group_line(known.copy_group))
    if (rated := known.rating) is not None:
        counts = f"counts as {rated.strength:g} votes: {rated.origin}"
        say(console, f"Rated {rated.rating:.2f} by {rated.created_by}, {counts}")
    if (by_hand := known.override) is not None:
        say(console, f"Set by {by_hand.created_by}: {by_hand.reason} (estimate: {number(known.estimated)})")


def print_difference(console: Console, found: RunDifference) -> None:
    """Print the note on different settings, the settings, and the sources, the most changed first."""
    lines = [f"From run {found.before.number} to run {found.after.number}."]
    if found.note:
        lines.append(found.note)
        lines += [f"{setting.in_words}: {setting.before}, then {setting.after}" for setting in found.settings]
    say(console, "\n".join(map(clean, lines)))
    rows = table(
        found.sources,
        {
            "source": "source_name",
            "before": lambda source: _estimate(source.before),
            "after": lambda source: _estimate(source.after),
            "change": lambda source: "" if source.change is None else f"{source.change:+.2f}",
            "": lambda source: "copy group changed" if source.was_regrouped else "",
        },
    )
    console.print(rows)


def _estimate(found: SourceEstimate | None) -> str | None:
    return f"{number(found.reliability)} ({interval(found.lower, found.upper)})" if found else None
