"""An answer for a person: the answer first, then its sources, citations, rejected sources, certificate and cost."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from uuid import UUID

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from answering.enums import Outcome
from api.cli.output import Column, bar, cell, number, say, table
from api.cli.reports.conflict import scores_line
from api.cli.reports.debate import print_debate
from api.text import clean, plural, shorten
from registry.answers.result_schemas import AnsweredPart, AnswerResult, Citation, RejectedSource, SelectedSource
from registry.estimations.schemas import QuestionTopic
from registry.evaluations.schemas import Basis
from registry.votes.schemas import TallyEntry

QUOTE_CHARACTERS = 240
MAX_NAMES = 6
OUTCOMES = {
    Outcome.ANSWERED: ("answered", "green"),
    Outcome.CONFLICTING: ("the sources conflict", "yellow"),
    Outcome.UNSUPPORTED: ("unsupported", "red"),
    Outcome.NO_EVIDENCE: ("no evidence", "red"),
}


def print_answer(console: Console, result: AnswerResult) -> None:
    print_headline(console, result)
    for part in result.parts:
        answer = " / ".join(part.answers) or (part.no_answer.text if part.no_answer else "no answer")
        say(console, f"  {part.question} ", (answer, "bold"), (f", {_sure(part)}" if part.answers else "", "dim"))
    print_debate(console, result)
    if result.selected_sources:
        console.print(selection_table(result))
    if result.topic is not None:
        say(console, topic_line(result.topic), style="dim")
    if len(result.tally) > 1:
        say(console, f"Tally: {'; '.join(map(_tally, result.tally))}.", style="dim")
    names = {source.source_id: source.name for source in result.selected_sources}
    _print_citations(console, result.citations, names)
    if result.dissent_citations:
        say(console, "Against it, a quote of each answer:", style="dim")
    first = {citation.answer: citation for citation in reversed(result.dissent_citations)}
    _print_citations(console, first.values(), names)
    if result.nearest:
        say(console, "Found nearest:", style="dim")
    for found in result.nearest:
        say(console, f"  {found.title or found.document_external_id}", (f": “{_short(found.quote)}”", "dim"))
    _print_rejected(console, result)
    _print_remarks(console, result, names)


def _print_remarks(console: Console, result: AnswerResult, names: Mapping[UUID, str]) -> None:
    if result.answers and (certificate := _certificate(result, names)):
        say(console, f"Certificate: {certificate}", style="dim")
    say(console, _cost(result), style="dim")
    if result.newer_documents:
        newer = plural(result.newer_documents, "document")
        say(console, f"Newer than the last estimation: {newer}.", style="dim")
    if result.conflict_score is not None:
        say(console, f"Conflict score: {scores_line(result.conflict_score)}.", style="dim")
    elif result.answers and result.conflict_score_missing:
        say(console, f"No conflict score: {result.conflict_score_missing}", style="dim")
    for note in result.notes:
        say(console, f"Note: {note}", style="yellow")


def print_headline(console: Console, result: AnswerResult) -> None:
    """The answer, its outcome, confidence and margin."""
    outcome, style = OUTCOMES[result.outcome]
    if result.is_doubtful:
        outcome, style = "doubtful", "yellow"
    answer = " / ".join(result.answers) or "No answer"
    dated = f", as of {result.as_of:%Y-%m-%d}" if result.as_of else ""
    numbers = f", {_sure(result)}, margin {result.margin:.2f}{dated}" if result.answers else ""
    say(console, (answer, f"bold {style}"), (f"  {outcome}{numbers}", "dim"))
    if result.no_answer is not None:
        say(console, result.no_answer.text)


def _sure(answer: AnswerResult | AnsweredPart) -> str:
    calibrated = answer.calibrated_confidence
    if calibrated is None:
        return f"confidence {answer.confidence:.2f}"
    if calibrated.basis is Basis.GOLD:
        share = answer.confidence if calibrated.share is None else calibrated.share
        return f"confidence {share:.2f} by {plural(calibrated.of or 0, 'right answer')} to queries"
    if calibrated.basis is Basis.ESTIMATE:
        return f"confidence {answer.confidence:.2f} by the estimate alone"
    return "too little is known about its sources to say how sure"


def topic_line(topic: QuestionTopic) -> str:
    """The topic of the question, where it is from, and whether reliabilities on it counted."""
    label = shorten(topic.label, QUOTE_CHARACTERS)
    if topic.given:
        return f"Topic: {label} (as given)."
    sure = number(topic.probabilities[topic.topic])
    if topic.used:
        return f"Topic: {label} (by its embedding, with probability {sure})."
    return f"Topic: too uncertain ({label}: {sure}); overall reliabilities count."


def selection_table(result: AnswerResult) -> Table:
    """The selected sources and their readings, those that support the answer first; where reliabilities on the topic of
    the question counted, those on all topics stand beside them.
    """
    by_topic = any(source.overall_reliability is not None for source in result.selected_sources)
    reliability: dict[str, Column[SelectedSource]] = {"reliability": "reliability"}
    if by_topic:
        reliability = {
            "overall": lambda source: (
                source.reliability if source.overall_reliability is None else source.overall_reliability
            ),
            "on topic": "reliability",
        }
    return table(
        sorted(result.selected_sources, key=lambda source: (not source.supports, -source.weight)),
        {
            "source": _marked_name,
            "": lambda source: bar(source.reliability, width=8),
            **reliability,
            "weight": "weight",
            "says": lambda source: cell(source.answer, "" if source.supports else "red"),
        },
    )


def _marked_name(source: SelectedSource) -> str:
    marks = ["set by hand"] if source.overridden else ["new"] if source.is_new else []
    marks += [] if source.joint_dissent is None else [f"joint dissent {source.joint_dissent + 1}"]
    return source.name + (f" ({', '.join(marks)})" if marks else "")


def _tally(entry: TallyEntry) -> str:
    """The weight and the votes of an answer class, and how many independent votes they are where that is fewer."""
    independent = "" if entry.independent_votes == entry.votes else f", {entry.independent_votes} independent"
    return f"{entry.answer} {entry.weight:.2f} ({plural(entry.votes, 'vote')}{independent})"


def _cost(result: AnswerResult) -> str:
    usage = result.usage
    cached = f" ({usage.readings_cached} cached)" if usage.readings_cached else ""
    tokens = f", {usage.input_tokens + usage.output_tokens:,} tokens" if usage.model_calls else ""
    return (
        f"Readings: {usage.readings}{cached}; {plural(usage.model_calls, 'model call')}{tokens}, "
        f"{usage.milliseconds / 1000:.2f} s. Selection ended: {result.stop_reason.replace('_', ' ')}."
    )


def _print_citations(console: Console, citations: Collection[Citation], names: Mapping[UUID, str]) -> None:
    for citation in citations:
        date = f", {citation.published_at:%Y-%m-%d}" if citation.published_at else ""
        answer = f" ({_short(citation.answer)})" if citation.answer else ""
        title = cell(citation.title or citation.document_external_id)
        place = f"{date}, {citation.document_external_id} {citation.start}-{citation.end}"
        say(console, "  ", cell(names.get(citation.source_id, "")), answer, ": ", title, (place, "dim"))
        console.print(Padding(Text(f"“{_short(citation.quote)}”", style="italic"), (0, 0, 0, 4)))
    if citations:
        console.print()


def _short(text: str) -> str:
    return shorten(text, QUOTE_CHARACTERS)


def _print_rejected(console: Console, result: AnswerResult) -> None:
    by_reason: defaultdict[str, list[RejectedSource]] = defaultdict(list)
    for source in result.rejected_sources:
        by_reason[source.abstention or source.reason].append(source)
    for reason, sources in by_reason.items():
        names = [f"{each.name} (“{_short(each.reading)}”)" if each.reading else each.name for each in sources]
        more = f" and {len(names) - MAX_NAMES:,} more" if len(names) > MAX_NAMES else ""
        listed = clean(", ".join(names[:MAX_NAMES])) + more
        console.print(Text(f"Not counted, {reason.replace('_', ' ')}: {listed}", style="dim"))


def _certificate(result: AnswerResult, names: Mapping[UUID, str]) -> str | None:
    certificate = result.certificate
    if not certificate.size:
        return None if certificate.size is None else "0, the vote is tied."
    sources = plural(certificate.size, "corrupted source")
    if certificate.is_bound:
        return f"it takes at least {sources} to flip this."
    winner = f"“{certificate.challenger}”" if certificate.challenger else "an answer that nobody gave"
    listed = ", ".join(names.get(source_id, str(source_id)) for source_id in certificate.source_ids)
    if not all(source.imported for source in result.selected_sources):
        sources += f", and so at least {plural(certificate.size, 'document')},"
    return f"it takes {sources} to flip this to {winner}: {listed}."
