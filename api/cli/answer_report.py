"""An answer and why it is what it is, for a person: the answer first, then who, where, who not, and the cost."""

from collections import defaultdict

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from answering.voting.outcome import Outcome
from api.cli.conflict_report import scores_line
from api.cli.debate_report import print_debate
from api.cli.output import bar, cell, clean, number, plural, table
from registry.results.answer import AnswerResult, Citation, RejectedSource, TallyEntry

QUOTE_CHARACTERS = 240
NAMED = 6
OUTCOMES = {
    Outcome.ANSWERED: ("answered", "green"),
    Outcome.CONFLICTING: ("the sources conflict", "yellow"),
    Outcome.UNSUPPORTED: ("unsupported", "red"),
    Outcome.NO_EVIDENCE: ("no evidence", "red"),
}


def print_answer(console: Console, result: AnswerResult) -> None:
    """The whole answer."""
    print_headline(console, result)
    print_debate(console, result)
    if result.selected_sources:
        console.print(voters(result))
    if len(result.tally) > 1:
        console.print(Text(f"Tally: {tally_line(result)}."), style="dim", soft_wrap=True)
    _print_citations(console, result)
    _print_rejected(console, result)
    console.print(_certificate(result), style="dim", soft_wrap=True)
    console.print(Text(cost(result)), style="dim", soft_wrap=True)
    _print_conflict_score(console, result)
    for note in result.notes:
        console.print(Text(f"Note: {clean(note)}"), style="yellow", soft_wrap=True)


def _print_conflict_score(console: Console, result: AnswerResult) -> None:
    if result.conflict_score is not None:
        console.print(Text(f"Conflict score: {scores_line(result.conflict_score)}."), style="dim", soft_wrap=True)
    elif result.answers and result.conflict_score_missing:
        console.print(Text(f"No conflict score: {clean(result.conflict_score_missing)}"), style="dim", soft_wrap=True)


def print_headline(console: Console, result: AnswerResult) -> None:
    """The answer and how sure it is."""
    said, style = OUTCOMES[result.outcome]
    answer = " / ".join(clean(one) for one in result.answers) or "No answer"
    sure = (
        f"  {said}, confidence {result.confidence:.2f}, margin {result.margin:.2f}" if result.answers else f"  {said}"
    )
    console.print(Text.assemble((answer, f"bold {style}"), (sure, "dim")), soft_wrap=True)


def voters(result: AnswerResult) -> Table:
    """The selected sources and what each said, the winner's supporters first."""
    made = table("source", "", "reliability", "weight", "says", right=("reliability", "weight"))
    for one in sorted(result.selected_sources, key=lambda one: (not one.supports, -one.weight)):
        name = cell(one.name + (" (set by hand)" if one.overridden else ""))
        says = cell(one.answer, "" if one.supports else "red")
        made.add_row(name, bar(one.reliability, width=8), number(one.reliability), number(one.weight), says)
    return made


def tally_line(result: AnswerResult) -> str:
    """The classes of answers, by weight, on one line."""
    return "; ".join(f"{clean(one.answer)} {one.weight:.2f} ({_counted(one)})" for one in result.tally)


def _counted(one: TallyEntry) -> str:
    """Votes, and how many voices they are where that is fewer."""
    voices = "" if one.voices in {None, one.votes} else f", {plural(one.voices or 0, 'voice')}"
    return plural(one.votes, "vote") + voices


def cost(result: AnswerResult) -> str:
    """What the answer cost."""
    usage = result.usage
    known = f" ({usage.readings_cached} known already)" if usage.readings_cached else ""
    tokens = f", {usage.input_tokens + usage.output_tokens:,} tokens" if usage.model_calls else ""
    return (
        f"Readings: {usage.readings}{known}; {plural(usage.model_calls, 'model call')}{tokens}, "
        f"{usage.milliseconds / 1000:.2f} s. The walk ended: {clean(result.stop_reason).replace('_', ' ')}."
    )


def _print_citations(console: Console, result: AnswerResult) -> None:
    names = {one.source_id: one.name for one in result.selected_sources}
    for one in result.citations:
        console.print(_citation_line(one, names.get(one.source_id, "")), soft_wrap=True)
        console.print(Padding(Text(f"“{_short(one.quote)}”", style="italic"), (0, 0, 0, 4)))
    if result.citations:
        console.print()


def _citation_line(citation: Citation, name: str) -> Text:
    date = f", {citation.published_at:%Y-%m-%d}" if citation.published_at else ""
    title = citation.title or citation.document_external_id
    where = f", {citation.document_external_id} {citation.start}-{citation.end}"
    says = f" ({_short(citation.answer)})" if citation.answer else ""
    return Text.assemble("  ", cell(name), says, ": ", cell(title), (f"{date}{clean(where)}", "dim"))


def _short(text: str) -> str:
    flat = " ".join(clean(text).split())
    return flat if len(flat) <= QUOTE_CHARACTERS else flat[: QUOTE_CHARACTERS - 1] + "…"


def _print_rejected(console: Console, result: AnswerResult) -> None:
    grouped: defaultdict[str, list[RejectedSource]] = defaultdict(list)
    for one in result.rejected_sources:
        grouped[one.reason].append(one)
    for reason, sources in grouped.items():
        console.print(Text.assemble((f"Not counted, {reason.replace('_', ' ')}: ", "dim"), _names(sources)))


def _names(sources: list[RejectedSource]) -> Text:
    shown = ", ".join(
        clean(one.name) + (f" (“{_short(one.reading)}”)" if one.reading else "") for one in sources[:NAMED]
    )
    more = f" and {len(sources) - NAMED:,} more" if len(sources) > NAMED else ""
    return Text(shown + more, style="dim")


def _certificate(result: AnswerResult) -> Text:
    certificate = result.certificate
    if not certificate.size:
        return Text("Certificate: no number of corrupted sources flips this." if result.answers else "")
    names = {one.source_id: one.name for one in result.selected_sources}
    who = ", ".join(clean(names.get(source_id, str(source_id))) for source_id in certificate.source_ids)
    winner = f"“{clean(certificate.challenger)}”" if certificate.challenger else "an answer nobody gave"
    return Text(
        f"Certificate: it takes {plural(certificate.size, 'corrupted source')} to flip this to {winner}: {who}."
    )
