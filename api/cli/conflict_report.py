"""A ConflictScore for a person: the two numbers, then every claim with who says so and who says otherwise."""

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from api.cli.output import clean, plural
from registry.conflict_scores.service import ScoringResult
from registry.results.conflict_score import ClaimView, ConflictScoreView, EvidenceView

QUOTE_CHARACTERS = 240
# Documents shown on either side of a claim; `--json` has all.
SHOWN = 5


def print_conflict(console: Console, scored: ScoringResult) -> None:
    """The whole score, and the response written anew where there is one."""
    _print_score(console, scored.score)
    made = scored.regenerated
    if made is None:
        return
    console.print()
    if not made.contested:
        console.print(Text("Nothing in it is contested, so it stays as it is."), style="dim")
        return
    if made.note:
        console.print(Text(f"Note: {clean(made.note)}"), style="yellow", soft_wrap=True)
        return
    console.print(Text("Written anew:", style="dim"))
    console.print(Padding(Text(clean(made.response)), (0, 0, 0, 2)))
    if made.conflict_score is not None:
        console.print(Text(f"Its conflict score: {scores_line(made.conflict_score)}."), style="dim", soft_wrap=True)


def scores_line(score: ConflictScoreView) -> str:
    """Both numbers and what they are of, on one line."""
    conflicting = sum(claim.conflicting for claim in score.claims)
    plain = f"CS-C {_number(score.cs_c)}, CS-R {_number(score.cs_r)}"
    weighted = f"weighted by reliability {_number(score.weighted_cs_c)}, {_number(score.weighted_cs_r)}"
    disputed = f"{conflicting} of {plural(len(score.claims), 'claim')} conflicting"
    return f"{plain} ({weighted}); {disputed} among {plural(score.documents, 'document')}"


def _print_score(console: Console, score: ConflictScoreView) -> None:
    console.print(Text(scores_line(score), style="bold"), soft_wrap=True)
    for claim in score.claims:
        console.print()
        console.print(Text.assemble(_mark(claim), clean(claim.text)), soft_wrap=True)
        _print_side(console, "for", "green", claim.supporting)
        _print_side(console, "against", "red", claim.contradicting)
    usage = score.usage
    calls = f", {plural(usage.model_calls, 'model call')}" if usage.model_calls else ""
    cost = f"{plural(usage.judgements, 'judgement')} by {score.judge}{calls}, {usage.milliseconds / 1000:.2f} s."
    console.print()
    console.print(Text(clean(cost)), style="dim", soft_wrap=True)
    for note in score.notes:
        console.print(Text(f"Note: {clean(note)}"), style="yellow", soft_wrap=True)


def _mark(claim: ClaimView) -> tuple[str, str]:
    if claim.conflicting:
        return "contested    ", "yellow"
    if claim.contradicting:
        return "contradicted ", "red"
    return ("supported    ", "green") if claim.supporting else ("not covered  ", "dim")


def _print_side(console: Console, word: str, style: str, side: tuple[EvidenceView, ...]) -> None:
    for one in side[:SHOWN]:
        reliability = "" if one.reliability is None else f", reliability {one.reliability:.2f}"
        sure = f"{clean(one.source)}{reliability} (sure: {one.probability:.2f})"
        console.print(Text.assemble((f"  {word:8}", style), sure, (_said(one), "italic")), soft_wrap=True)
    if len(side) > SHOWN:
        console.print(Text(f"  {word:8}and {plural(len(side) - SHOWN, 'document')} more"), style="dim")


def _said(one: EvidenceView) -> str:
    flat = " ".join(clean(one.quote or "").split())
    if not flat:
        return ""
    return f": “{flat if len(flat) <= QUOTE_CHARACTERS else flat[: QUOTE_CHARACTERS - 1] + '…'}”"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
