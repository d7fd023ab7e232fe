"""From what models write to types. Every parser returns None for what cannot be read, and never raises."""

from answering.debates.parsing.answers import AnswerList, parse_answers
from answering.debates.parsing.groups import Group, GroupAnswer, GroupAnswers, parse_group_answers, parse_groups
from answering.debates.parsing.passages import parse_passages
from answering.debates.parsing.positions import AgentAnswer, parse_agent_answer
from answering.debates.parsing.queries import QueryChange, parse_query_change
from answering.debates.parsing.verdicts import parse_verdict

__all__ = [
    "AgentAnswer",
    "AnswerList",
    "Group",
    "GroupAnswer",
    "GroupAnswers",
    "QueryChange",
    "parse_agent_answer",
    "parse_answers",
    "parse_group_answers",
    "parse_groups",
    "parse_passages",
    "parse_query_change",
    "parse_verdict",
]
