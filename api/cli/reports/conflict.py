"""A ConflictScore for a person: its numbers, then every claim with the documents for it and against it."""

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from answering.enums import ResponseOutcome
from api.cli.output import number, say
from api.text import clean, plural, shorten
from registry.conflict_scores.schemas import ClaimView, ConflictAnswer, ConflictScoreView, EvidenceView, RegeneratedView

QUOTE_CHARACTERS = 240
# Documents shown on either side of a claim; `--json` has all.
SHOWN = 5


def print_conflict(console: Console, result: ConflictAnswer) -> None:
    """The whole score, and the regenerated response where there is one."""
    _print_score(console, result.score)
    if result.regenerated is not None:
        console.print()
        _print_regenerated(console, result.regenerated)


def scores_line(score: ConflictScoreView) -> str:
    """CS-C and CS-R, plain and weighted by reliability, and what they are of, on one line."""
    conflicting = sum(claim.conflicting for claim in score.claims)
    plain = f"CS-C {number(score.cs_c)}, CS-R {number(score.cs_r)}"
    weighted = f"weighted by reliability {number(score.weighted_cs_c)}, {number(score.weighted_cs_r)}"
    disputed = f"{conflicting} of {plural(len(score.claims), 'claim')} conflicting"
    return f"{plain} ({weighted}); {disputed} among {plural(score.documents, 'document')}"


def _print_regenerated(console: Console, regenerated: RegeneratedView) -> None:
    if regenerated.outcome is ResponseOutcome.UNCONTESTED:
        say(console, "Nothing in it is contested.", style="dim")
    if regenerated.note:
        refusals = ", ".join(attempt.refusal.replace("_", " ") for attempt in regenerated.attempts if attempt.refusal)
        say(console, f"Note: {regenerated.note} ({refusals})", style="yellow")
    if regenerated.outcome is ResponseOutcome.REWRITTEN:
        say(console, "Rewritten:", style="dim")
    if regenerated.outcome in {ResponseOutcome.REWRITTEN, ResponseOutcome.WITHDRAWN}:
        for line in regenerated.response.splitlines():
            console.print(Padding(Text(clean(line)), (0, 0, 0, 2)))
        for claim in regenerated.untold:
            say(console, f"It does not say who contradicts: {claim}", style="yellow")
    if regenerated.conflict_score is not None:
        say(console, f"Its conflict score: {scores_line(regenerated.conflict_score)}.", style="dim")


def _print_score(console: Console, score: ConflictScoreView) -> None:
    say(console, scores_line(score), style="bold")
    for claim in score.claims:
        console.print()
        say(console, _mark(claim), claim.text)
        _print_side(console, "for", "green", claim.supporting)
        _print_side(console, "against", "red", claim.contradicting)
        _print_side(console, "reports", "dim", claim.reporting)
    usage = score.usage
    calls = f", {plural(usage.model_calls, 'model call')}" if usage.model_calls else ""
    cost = f"{plural(usage.judgements, 'judgement')} by {score.judge}{calls}, {usage.milliseconds / 1000:.2f} s."
    console.print()
    say(console, cost, style="dim")
    for note in score.notes:
        say(console, f"Note: {note}", style="yellow")


def _mark(claim: ClaimView) -> tuple[str, str]:
    if claim.conflicting:
        return "contested    ", "yellow"
    if claim.contradicting:
        return "contradicted ", "red"
    if claim.supporting:
        return "supported    ", "green"
    return ("reported     ", "dim") if claim.reporting else ("not covered  ", "dim")


def _print_side(console: Console, word: str, style: str, side: tuple[EvidenceView, ...]) -> None:
    for evidence in side[:SHOWN]:
        reliability = "" if evidence.reliability is None else f", reliability {evidence.reliability:.2f}"
        copies = f", as one with {', '.join(evidence.copies)}" if evidence.copies else ""
        source = f"{evidence.source}{copies}{reliability} (sure: {evidence.probability:.2f})"
        quote = f": “{shorten(evidence.quote, QUOTE_CHARACTERS)}”" if evidence.quote else ""
        say(console, (f"  {word:8}", style), source, (quote, "italic"))
    if len(side) > SHOWN:
        say(console, f"  {word:8}and {plural(len(side) - SHOWN, 'document')} more", style="dim")
