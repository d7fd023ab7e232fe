"""From what models write to types. Every parser returns None for what cannot be read, and never raises."""

from answering.debates.parsing.answers import Answers, parse_answers
from answering.debates.parsing.groups import Finding, Findings, Group, parse_findings, parse_groups
from answering.debates.parsing.passages import parse_passages
from answering.debates.parsing.positions import Position, parse_position
from answering.debates.parsing.queries import Challenge, parse_challenge
from answering.debates.parsing.verdicts import parse_verdict

__all__ = [
    "Answers",
    "Challenge",
    "Finding",
    "Findings",
    "Group",
    "Position",
    "parse_answers",
    "parse_challenge",
    "parse_findings",
    "parse_groups",
    "parse_passages",
    "parse_position",
    "parse_verdict",
]
