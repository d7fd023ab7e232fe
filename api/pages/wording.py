"""Figures, outcomes and evidence in words."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from math import exp, log
from uuid import UUID

from answering.debates.schema import SUMMARIES
from answering.enums import Outcome
from api.http.schemas.sources import ReliabilityView
from api.pages.charts import too_few
from api.text import plural
from registry.answers.result_schemas import AnsweredPart, AnswerResult, SelectedSource
from registry.disputes.store import PairAgreement
from registry.estimations.schemas import QuestionTopic
from registry.estimations.store import SourceVote
from registry.evaluations.schemas import Basis
from registry.sources.schemas import CopyGroup
from registry.votes.schemas import TallyEntry

ABSENT = "-"
MOST_ODDS = 1_000_000
PERCENT = "\N{NO-BREAK SPACE}%"

FIELDS = {
    "content": "text",
    "published_at": "date",
    "media_type": "format",
    "allowed_groups": "groups",
    "url": "address",
}


def strategy(name: str) -> str:
    """What a strategy does, in words; strategies of stored answers may be gone."""
    return SUMMARIES.get(name, name)


def fields(changed: Sequence[str]) -> str:
    """Fields of a document that were changed."""
    return ", ".join(FIELDS.get(field, field) for field in changed)


def percent(share: float | None) -> str:
    """`86 %`, or a dash where there is none."""
    return ABSENT if share is None else f"{100 * share:.0f}{PERCENT}"


def signed_points(change: float | None) -> str:
    """A difference of two shares in percentage points, with its sign."""
    if change is None:
        return ABSENT
    points = round(100 * change)
    return f"{points:+d}" if points else "0"


def size(count: int) -> str:
    """`1.4 MB`, in powers of 1,000."""
    for unit, scale in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= scale:
            return f"{count / scale:.1f} {unit}"
    return f"{count:,} B"


def interval(lower: float | None, upper: float | None) -> str:
    """`79 to 92 %`, or nothing where there is none."""
    return "" if lower is None or upper is None else f"{100 * lower:.0f} to {100 * upper:.0f}{PERCENT}"


def cron(expression: str) -> str:
    """`every day at 03:00`, `every hour`; other expressions as they are."""
    minute, hour, *days = expression.split()
    if days != ["*"] * 3 or not minute.isdecimal():
        return expression
    if hour.isdecimal():
        return f"every day at {int(hour):02}:{int(minute):02}"
    if hour != "*":
        return expression
    return f"every hour at {int(minute)} minutes" if int(minute) else "every hour"


def few(votes: int) -> str:
    """The reason why an estimate from so many votes is no figure."""
    return f"{plural(votes, 'vote')}: too few" if votes else "no votes"


def width(of_interval: float) -> str:
    """The width of an interval in percentage points."""
    return plural(round(100 * of_interval), "point")


def score(reliability: ReliabilityView) -> list[str]:
    """The reliability of a source and its reasons, in sentences."""
    if reliability.estimation_id is None:
        estimate = ["Nothing has been estimated yet, so nothing is known about this source."]
    elif reliability.estimated is None:
        prior = percent(reliability.prior)
        estimate = [f"The current run has no votes of this source. It counts like an unknown source, with {prior}."]
    else:
        told_apart = reliability.misread_count is not None
        estimate = [_right(reliability, "statements" if told_apart else "answers")]
        if told_apart:
            estimate.append(misread_part(reliability.misread_count or 0, reliability.vote_count))
        if reliability.lower is not None and reliability.upper is not None:
            estimate.append(f"The 90 % interval is {interval(reliability.lower, reliability.upper)}.")
        if reliability.band is not None:
            wide = interval(*reliability.band)
            estimate.append(f"The systematic band, which allows for errors that sources share, is {wide}.")
    if reliability.sensitivity is not None and reliability.specificity is not None:
        true, false = percent(reliability.sensitivity), percent(1 - reliability.specificity)
        estimate.append(
            f"Where several answers may be true, it lists {true} of the true ones and {false} of the others."
        )
    if reliability.override is not None:
        counts = percent(reliability.override.reliability)
        estimate.insert(0, f"An operator set its reliability to {counts}, which replaces the estimate.")
    if reliability.rating is not None:
        rating = reliability.rating
        strength = plural(round(rating.strength), "vote")
        estimate.append(f"An outside list rates it at {percent(rating.rating)}, which counts as {strength}.")
    if reliability.turned_at is not None:
        estimate.append(f"It turned on {reliability.turned_at:%Y-%m-%d}: the estimate is for the time since.")
    return estimate


def _right(reliability: ReliabilityView, what: str) -> str:
    if too_few(reliability.vote_count, reliability.rating):
        return f"It has {plural(reliability.vote_count, 'vote')}, too few to say how often it is right."
    return f"Of its {what} about {_in_hundred(reliability.estimated or 0.0)} are right, by {_basis(reliability)}."


def misread_part(misread: int, votes: int) -> str:
    """The number of readings of a source that look misread, which is the reader's error."""
    if not misread:
        return "None of its readings looks misread."
    verb = "looks" if misread == 1 else "look"
    return f"{misread:,} of its {plural(votes, 'reading')} {verb} misread: these are errors of the reader, not its own."


def agreement(votes: Sequence[SourceVote]) -> str:
    """The number of queries on which a source voted, and how often it gave the answer of all votes together."""
    decided = [vote.agrees for vote in votes if vote.agrees is not None]
    voted = f"It voted on {len(decided):,} of {plural(len(votes), 'query', 'queries')}"
    return (
        f"{voted}, {sum(decided):,} times for the answer that the votes of all sources gave."
        if decided
        else voted + "."
    )


def copy_evidence(group: CopyGroup) -> str:
    """The reasons why the sources of a copy group count as one."""
    names = dict(zip(group.source_ids, group.source_names, strict=True))
    sentences = []
    if group.agreement is not None and group.explained is not None:
        sentences.append(
            f"Two of them agree on {percent(group.agreement)} of the disputed queries that both answer; independent "
            f"sources as reliable as they are would on {percent(group.explained)}."
        )
    shared, expected = f"{group.shared_wrong:.1f}", f"{group.expected:.1f}"
    sentences.append(f"They share {shared} probably wrong answers; {expected} are expected by chance.")
    sentences.append(f"About {percent(group.copied_share)} of the answers of one are copied from the other.")
    if group.original_id is not None:
        sentences.append(f"By the dates of publication, the others copy {names[group.original_id]}.")
    return " ".join(sentences)


def pair_agreement(pair: PairAgreement | None) -> str:
    """The agreement of two sources."""
    return "no disputed query that both answer" if pair is None else f"alike on {pair.agreed:,} of {pair.shared:,}"


def odds(log_odds: float) -> str:
    """The probability of copying, as odds."""
    if log_odds > log(MOST_ODDS):
        return f"more than {MOST_ODDS:,} to 1"
    return f"{max(exp(log_odds), 1):,.0f} to 1"


def copying_time(pair: PairAgreement, names: Mapping[UUID, str]) -> str:
    """The source that published shared answers first, and the delay of the other; empty without dates."""
    if not pair.dated or pair.lag is None:
        return ""
    first, second = names[pair.first_id], names[pair.second_id]
    if not pair.lag:
        return "They publish the answers that agree at the same times."
    if pair.lag < timedelta():
        first, second = second, first
    earlier = pair.first_earlier if pair.lag > timedelta() else pair.dated - pair.first_earlier
    return (
        f"Of {plural(pair.dated, 'such answer')} with dates, {second} published {earlier:,} after {first}, "
        f"{duration(abs(pair.lag))} later in the median."
    )


def duration(time: timedelta) -> str:
    """`3 days`, in the largest unit of which there are two."""
    seconds = time.total_seconds()
    for unit, size_ in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= 2 * size_:
            return plural(round(seconds / size_), unit)
    return plural(round(seconds), "second")


def _in_hundred(share: float) -> str:
    return f"{100 * share:.0f} in 100"


def _basis(reliability: ReliabilityView) -> str:
    return plural(reliability.vote_count, "vote") if reliability.vote_count else "its rating alone"


OUTCOMES = {
    Outcome.ANSWERED: "Answered",
    Outcome.CONFLICTING: "The sources conflict",
    Outcome.UNSUPPORTED: "No answer in the passages",
    Outcome.NO_EVIDENCE: "No passages on this question",
}
BASES = {
    Basis.GOLD: "measured",
    Basis.ESTIMATE: "by the estimate alone",
    Basis.TOO_LITTLE: "too little is known",
}
_LEFT_OUT = {
    "no_answer": "Read, no answer found",
    "other_subject": "Read, its passages are about something else",
    "other_kind": "Read, no answer of the kind that the question asks for",
    "no_explanation": "Read, no explanation found",
    "undecided": "Read, neither yes nor no found",
    "declined": "The language model replied that it does not know",
    "abstained": "Read, and abstained",
    "misaligned": "Its answer does not occur in its passages",
    "misread": "A person confirmed a misreading",
    "no_passages": "Has no passage on the question",
    "failed": "Its reading failed",
    "not_a_candidate": "The search found no passage of it",
    "not_reached": "Not read: the sources before it were enough",
    "out_of_budget": "Not read: the limit of readings was reached",
    "unsure": "Read with too little certainty, and too few others say so",
}


def outcome(value: Outcome | str | None) -> str:
    """The outcome of a question in words."""
    return "Not answered yet" if value is None else OUTCOMES[Outcome(value)]


def on_topic(reliability: float | None, overall: float | None) -> str:
    """`72 %`; where it is that on the topic of a question `61 % overall, 72 % on this topic`."""
    on_it = percent(reliability)
    return on_it if overall is None else f"{percent(overall)} overall, {on_it} on this topic"


def topic(question_topic: QuestionTopic) -> str:
    """The topic of a question, where it is from, and whether reliabilities on it counted."""
    label = question_topic.label
    if question_topic.given:
        return f"Topic: {label}, as given. Sources count with their reliabilities on it."
    sure = percent(question_topic.probabilities[question_topic.topic])
    if question_topic.used:
        return f"Topic: {label}, inferred from the question, {sure} sure. Sources count with their reliabilities on it."
    return f"The topic is too uncertain ({label}: {sure}). Sources count with their overall reliabilities."


def left_out(reason: str) -> str:
    """The reason why a source has no vote."""
    return _LEFT_OUT.get(reason, reason.replace("_", " "))


def shown_confidence(answer: AnswerResult | AnsweredPart) -> str:
    """The calibrated confidence where right answers tell it, else that of the estimate; a dash where neither does."""
    calibrated = answer.calibrated_confidence
    if calibrated is None or calibrated.basis is Basis.ESTIMATE:
        return percent(answer.confidence)
    return percent(calibrated.share)


def likelihood(probability: float) -> str:
    """`87 %`, for a person, who would take 100 % for certainty."""
    if probability > 0.995:
        return f"over 99{PERCENT}"
    return f"under 1{PERCENT}" if probability < 0.005 else percent(probability)


def votes(entry: TallyEntry) -> str:
    """`4 sources, 2 independent votes`."""
    given = plural(entry.votes, "source")
    if entry.independent_votes == entry.votes:
        return given
    return f"{given}, {plural(entry.independent_votes, 'independent vote')}"


def one_vote(sources: Sequence[SelectedSource]) -> str:
    """`3 copies, one vote`: why several sources count as one."""
    first, count = sources[0], f"{len(sources):,}"
    if first.is_new:
        return f"{count} new sources, one vote"
    if first.joint_dissent is not None:
        return f"{count} sources that dissent together, one vote"
    return f"{count} copies, one vote"
