"""Parsers of model replies. Every parser returns None for a reply that cannot be read, and none raises."""

from answering.debates.parsing.answers import AgentAnswer, AnswerList, parse_agent_answer, parse_answers
from answering.debates.parsing.arguments import MAX_QUERY_CHARACTERS, QueryChange, parse_query_change, parse_verdict
from answering.debates.parsing.passages import (
    MAX_GROUP_CHARACTERS,
    Group,
    GroupAnswer,
    GroupAnswers,
    parse_group_answers,
    parse_groups,
    parse_passages,
)

__all__ = [
    "MAX_GROUP_CHARACTERS",
    "MAX_QUERY_CHARACTERS",
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
